# Needs: a JDK 25, Maven 3.8 or later; Go for test, check and proto, and where Kubernetes' binaries cannot be downloaded.
# Written for GNU Make 3.81, too, the one of macOS.
.DEFAULT_GOAL := help

# ALL=1: the binaries that only the tests and the lab need, too (make kube)
ALL =

JDK       = src/build/with-jdk
KUBE      = src/test/kube/kube
MVN       = $(JDK) mvn -B -ntp
DEPENDENCY_PLUGIN = org.apache.maven.plugins:maven-dependency-plugin:3.8.1

KUBERNETES_TO_RUN  = etcd kube-apiserver $$(command -v kubectl >/dev/null || echo kubectl)
KUBERNETES_TO_TEST = $(KUBERNETES_TO_RUN) kube-apiserver@1.29.6 kube-apiserver@1.32.13 kube-controller-manager
KUBERNETES_ALL     = $(KUBERNETES_TO_TEST) kube-proxy

# The Go examples; the versions of everything are in their go.mod.
EXAMPLES = src/examples
STUBS    = $(EXAMPLES)/providerv1
GO       = cd $(EXAMPLES) && GOWORK=off CGO_ENABLED=0 go

MANIFESTS = src/main/kubernetes
ONE_FILE  = $(MANIFESTS)/berth.yaml
CRDS      = crds

# The build that demo, run, bench and manifests use; target/ has no other mark of a whole build.
BUILT = target/test.classpath
BUILT_FROM := pom.xml $(shell find src/main/java src/main/resources src/main/proto src/test/java src/test/resources 2>/dev/null)
# The operator's AOT cache, made as src/main/docker/Dockerfile makes it; another build of the jars makes it stale.
AOT_CACHE = target/quarkus-app/app.aot
APPLICATION := $(wildcard target/quarkus-app/quarkus-run.jar)
JAVA_TEST_TREE = $(JDK) java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
  -Djava.util.logging.manager=org.jboss.logmanager.LogManager -Dio.netty.noUnsafe=true \
  -cp "target/test-classes:target/classes:$$(cat $(BUILT))"
JMH = $(JDK) java -Xmx3g --sun-misc-unsafe-memory-access=allow -cp "target/test-classes:target/classes:$$(cat $(BUILT))"

# The pinned kubectl is not needed for this: kustomize's output has been the same for years.
KUSTOMIZE = { kubectl=$$(command -v kubectl || $(KUBE) --path kubectl) && \
  echo "\# Generated from kustomization.yaml beside it: change what that names, then run make manifests." && \
  "$$kubectl" kustomize $(MANIFESTS); }

.PHONY: help
help: ## lists the targets
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## /\1	/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk -F '\t' '{ printf "  make %-16s %s\n", $$1, $$2 }'

.PHONY: demo
demo: kube-to-run $(AOT_CACHE) ## starts a real API server and Berth, shows Services getting addresses, and ends
	@$(JAVA_TEST_TREE) dev.berth.demo.Demo demo

.PHONY: run
run: kube-to-run $(AOT_CACHE) ## the same, and stays up for your own kubectl until Ctrl-C
	@$(JAVA_TEST_TREE) dev.berth.demo.Demo run

.PHONY: test
test: kube-to-test one-file-check proto-check go-check ## builds and runs every test (mvn verify)
	@echo "make: the tests of $(EXAMPLES) in Go"
	@$(GO) test -mod=readonly ./...
	@echo "make: mvn verify: formatting, compiler checks, then each test class as it ends; reports in target/"
	@$(MVN) verify -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
	  -Dorg.slf4j.simpleLogger.log.io.quarkus=error \
	  -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire=info \
	  -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.failsafe=info
	@echo "make: every test passed"

.PHONY: bench
bench: $(AOT_CACHE) ## compares Berth with Kubernetes' own service controller (minutes)
	@$(KUBE) $(KUBERNETES_TO_RUN) service-controller
	@$(JAVA_TEST_TREE) dev.berth.bench.Bench

.PHONY: bench-address
bench-address: $(BUILT) ## measures the ledger of addresses by how many it holds (minutes)
	@$(JMH) dev.berth.bench.AddressBench

.PHONY: bench-cluster-ip
bench-cluster-ip: $(BUILT) ## measures the index of cluster IPs by how many are taken (minutes)
	@$(JMH) dev.berth.bench.ClusterIpBench

.PHONY: bench-many-ips
bench-many-ips: kube-to-run $(BUILT) ## measures a ServiceCIDRPolicy on an API server with 50,000 IPAddresses
	@$(JAVA_TEST_TREE) dev.berth.bench.ManyClusterIps

.PHONY: mutation
mutation: ## breaks address and clusterip in every way PIT knows, and counts what the tests notice (long)
	@echo "make: mutating dev.berth.address and dev.berth.clusterip; the report will be target/pit-reports/index.html"
	@$(MVN) test-compile org.pitest:pitest-maven:mutationCoverage -Dorg.slf4j.simpleLogger.defaultLogLevel=warn

.PHONY: kube
kube: ## fetches or builds etcd and kube-apiserver into ~/.cache/berth; ALL=1: what the tests use, too
	@$(KUBE) $(if $(filter-out 0,$(ALL)),$(KUBERNETES_ALL),$(KUBERNETES_TO_RUN))

.PHONY: manifests
manifests: kubectl $(BUILT) ## writes crds/ and src/main/kubernetes/berth.yaml anew
	@echo "make: writing $(CRDS)/ and $(ONE_FILE)"
	@$(JAVA_TEST_TREE) dev.berth.api.CrdFiles $(CRDS)
	@mkdir -p target && $(KUSTOMIZE) > target/berth.yaml && mv target/berth.yaml $(ONE_FILE)

.PHONY: proto
proto: ## writes the Go form of src/main/proto anew
	@echo "make: writing $(STUBS)/"
	@$(JDK) $(EXAMPLES)/generate $(STUBS)

.PHONY: provider-kit
provider-kit: ## installs what a provider is written and tested with into your local Maven repository
	@echo "make: building; the first time Maven fetches about 200 MB, later it takes a minute"
	@$(MVN) -q install -DskipTests -Djacoco.skip=true
	@echo "make: installed dev.berth:berth, classifiers spi and tck; see docs/write-a-provider.md"

.PHONY: format
format: ## puts the Java and Go sources into the one format
	@echo "make: formatting"
	@$(MVN) -q spotless:apply
	@gofmt -w $(EXAMPLES)

.PHONY: check
check: one-file-check proto-check go-check ## checks format, compiler findings, and that generated files are up to date
	@echo "make: checking the format, the compiler's findings and $(CRDS)/"
	@$(MVN) -q test -Djacoco.skip=true -Dtest=CrdGenerationTest -Dquarkus.log.level=WARN

# --- What the targets above are made of -------------------------------------

.PHONY: kube-to-run kube-to-test kubectl
kube-to-run:
	@$(KUBE) $(KUBERNETES_TO_RUN)

kube-to-test:
	@$(KUBE) $(KUBERNETES_TO_TEST)

kubectl:
	@command -v kubectl >/dev/null || $(KUBE) kubectl

.PHONY: one-file-check
one-file-check: kubectl
	@echo "make: checking that $(ONE_FILE) is up to date"
	@mkdir -p target && $(KUSTOMIZE) > target/berth.yaml
	@diff -u $(ONE_FILE) target/berth.yaml || \
	  { echo "make: $(ONE_FILE) is out of date (+ is what it should have): run make manifests" >&2; exit 1; }

.PHONY: proto-check
proto-check:
	@echo "make: checking that $(STUBS)/ is up to date"
	@rm -rf target/providerv1 && $(JDK) $(EXAMPLES)/generate target/providerv1
	@diff -u $(STUBS) target/providerv1 || \
	  { echo "make: $(STUBS)/ is out of date (+ is what it should have): run make proto" >&2; exit 1; }

.PHONY: go-check
go-check:
	@echo "make: checking $(EXAMPLES) with gofmt and go vet; the first time, Go compiles for some minutes"
	@unformatted=$$(gofmt -l $(EXAMPLES)) && test -z "$$unformatted" || \
	  { echo "make: run make format, these are not as gofmt has them: $$unformatted" >&2; exit 1; }
	@$(GO) vet -mod=readonly ./...

$(BUILT): $(BUILT_FROM)
	@echo "make: building; the first time Maven fetches about 200 MB, later it takes half a minute"
	@$(MVN) -q package -DskipTests -Djacoco.skip=true -Dmaven.javadoc.skip=true $(DEPENDENCY_PLUGIN):build-classpath -Dmdep.outputFile=$@.new
	@mv $@.new $@

$(AOT_CACHE): $(BUILT) $(APPLICATION) src/main/docker/jvm.options
	@echo "make: recording the classes that the operator needs"
	@$(JDK) java -cp "target/test-classes:target/quarkus-app/lib/main/*:target/quarkus-app/lib/boot/*" \
	  dev.berth.rehearsal.Rehearsal @src/main/docker/jvm.options -XX:AOTCacheOutput=$@ \
	  -jar target/quarkus-app/quarkus-run.jar operator --leader-elect --http-port=0 --log-format=json \
	  > target/rehearsal.log 2>&1 || { tail -n 20 target/rehearsal.log >&2; exit 1; }
