# Needs: a JDK 25, Maven 3.8 or later; Go for test, check and proto, and where Kubernetes' binaries cannot be downloaded.
# Written for GNU Make 3.81, too, the one of macOS.
.DEFAULT_GOAL := help

# ALL=1: the binaries that only the tests and the lab need, too (make kube)
ALL =
# The integration tests to run: make it IT=PoolEditsIT
IT =
# How long to simulate, or how many seeds, and from which one on: make soak SEEDS=10000 FIRST=5000000
MINUTES = 10
SEEDS =
FIRST =
# Every n-th of the integration tests, beginning with the k-th: make test-its SHARD=k/n
SHARD = 1/1
# The name of the image, if not the one in the manifests
IMAGE =
# How kube-proxy programs the kernel in make lab: nftables or iptables
MODE = nftables

JDK       = src/build/with-jdk
KUBE      = src/test/kube/kube
MVN       = $(JDK) mvn -B -ntp $(OFFLINE)
DEPENDENCY_PLUGIN = org.apache.maven.plugins:maven-dependency-plugin:3.8.1

KUBERNETES_TO_RUN  = etcd kube-apiserver $$(command -v kubectl >/dev/null || echo kubectl)
KUBERNETES_TO_LAB  = $(KUBERNETES_TO_RUN) kube-controller-manager kube-proxy
KUBERNETES_TO_TEST = $(KUBERNETES_TO_RUN) kube-apiserver@1.29.6 kube-apiserver@1.32.13 kube-controller-manager kube-proxy \
  $$(command -v helm >/dev/null || echo helm) $(KUBERNETES_OF_NODES)
# Only root on Linux can have nodes.
KUBERNETES_OF_NODES = $$([ "$$(uname -s) $$(id -u)" != "Linux 0" ] || echo kube-scheduler kubelet containerd cni)

# The Go examples; the versions of everything are in their go.mod.
EXAMPLES = src/examples
STUBS    = $(EXAMPLES)/providerv1
GO       = cd $(EXAMPLES) && GOWORK=off CGO_ENABLED=0 go

# A tenth of the seeds of make test, and none of the checks; see the profile in the pom.
FAST_BUILD = $(MVN) -Punchecked,fast -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.io.quarkus=error
FAST_SEEDS = -Dproperty.seeds=10 -Dsimulation.seeds=10
TEST_LOG = -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire=info \
  -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.failsafe=info
FULL_BUILD = $(MVN) -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.io.quarkus=error $(TEST_LOG)
SHARD_ITS = $$(find src/test/java -name '*IT.java' | sed 's,.*/,,; s,[.]java$$,,' | LC_ALL=C sort | \
  awk -v shard=$(SHARD) 'BEGIN { split(shard, s, "/") } NR % s[2] == s[1] % s[2]' | paste -s -d , -)

MANIFESTS = src/main/kubernetes
ONE_FILE  = $(MANIFESTS)/berth.yaml
CRDS      = crds

# The build that demo, run, bench and manifests use; target/ has no other mark of a whole build.
BUILT = target/test.classpath
BUILT_FROM := pom.xml $(shell find src/main/java src/main/resources src/main/proto src/test/java src/test/resources 2>/dev/null)
# The operator's AOT cache, made as src/main/docker/Dockerfile makes it; another build of the jars makes it stale.
AOT_CACHE = target/quarkus-app/app.aot
APPLICATION := $(wildcard target/quarkus-app/quarkus-run.jar)
JAVA_OPTIONS = -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
  -Djava.util.logging.manager=org.jboss.logmanager.LogManager -Dio.netty.noUnsafe=true \
  -cp "target/test-classes:target/classes:$$(cat $(BUILT))"
JAVA_TEST_TREE = $(JDK) java $(JAVA_OPTIONS)
JMH = $(JDK) java -Xmx3g --sun-misc-unsafe-memory-access=allow -cp "target/test-classes:target/classes:$$(cat $(BUILT))"

# The pinned kubectl is not needed for this: kustomize's output has been the same for years.
KUSTOMIZE = { kubectl=$$(command -v kubectl || $(KUBE) --path kubectl) && \
  echo "\# Generated from kustomization.yaml beside it: change what that names, then run make manifests." && \
  "$$kubectl" kustomize $(MANIFESTS); }

.PHONY: help
help: ## lists the targets
	@sed -n 's/^\([a-z][a-z0-9-]*\):[^#]*## /\1	/p' $(firstword $(MAKEFILE_LIST)) | \
	  awk -F '\t' '{ printf "  make %-16s %s\n", $$1, $$2 }'

.PHONY: demo
demo: kube-to-run $(AOT_CACHE) ## starts a real API server and Berth, shows Services getting addresses, as root on Linux packets, too, and ends
	@$(JAVA_TEST_TREE) dev.berth.demo.Demo demo
	@if [ "$$(uname -s) $$(id -u)" = "Linux 0" ] && src/test/lab/lab possible; then \
	  $(THIS_MAKE) --no-print-directory traffic; \
	else echo "make: where root on Linux may have network namespaces, make demo shows packets, too"; fi

.PHONY: traffic
traffic: kube-to-lab $(AOT_CACHE)
	@$(JDK) src/test/lab/bin/java $(JAVA_OPTIONS) -Dberth.aot=true dev.berth.lab.TrafficDemo

.PHONY: run
run: kube-to-run $(AOT_CACHE) ## the same, and stays up for your own kubectl until Ctrl-C
	@$(JAVA_TEST_TREE) dev.berth.demo.Demo run

.PHONY: lab
lab: lab-possible kube-to-lab $(AOT_CACHE) ## (root, Linux) a network of nodes, Berth and HAProxy to play with, until Ctrl-C: make lab MODE=iptables
	@$(JDK) src/test/lab/lab up $(JAVA_OPTIONS) -Dberth.aot=true dev.berth.lab.Playground $(MODE)

.PHONY: cluster
cluster: lab-possible kube-to-cluster $(BUILT) ## (root, Linux) a cluster of two nodes that run Pods, to install Berth on, until Ctrl-C
	@src/test/lab/tools pods
	@$(JDK) src/test/lab/lab up $(JAVA_OPTIONS) dev.berth.lab.PodPlayground

.PHONY: lab-down
lab-down: ## ends what make lab or make cluster started, from another shell
	@src/test/lab/lab down

CHECKS_LOG = target/checks.log
# Not by its own name, by which make -n would run the line.
THIS_MAKE := $(MAKE)

# The checks take what the tests leave of the processor, and a directory of their own. Two Mavens must not fetch into one
# repository at once, so these fetch nothing; where something is missing, or found, they run again at the end.
.PHONY: test
test: kube-to-test lab-tools ## builds and runs every test (mvn verify), with all checks beside them
	@echo "make: mvn verify: each test class as it ends; reports in target/. Beside it make check and go-test: $(CHECKS_LOG)"
	@mkdir -p target; rm -f target/processor-seconds; \
	nice -n 19 $(THIS_MAKE) --no-print-directory OFFLINE=-o check go-test > $(CHECKS_LOG) 2>&1 & checks=$$!; \
	$(FULL_BUILD) -Punchecked verify; tests=$$?; \
	wait $$checks || $(THIS_MAKE) --no-print-directory check go-test || tests=1; \
	exit $$tests
	@$(SLOWEST)
	@$(PROCESSOR_TIMES)
	@echo "make: every test passed, and every check"

.PHONY: image
image: $(BUILT) ## builds the image by docker, podman or buildah, whichever is here: make image IMAGE=<your registry>/berth:0.1.0
	@src/build/image $(IMAGE)

.PHONY: e2e
e2e: lab-possible ## (root, Linux) Berth as Pods on a cluster of two nodes, from the quick start to the removal; FROM=<commit>: an upgrade first
	@$(if $(FROM),rm -rf target/older && mkdir -p target/older && git archive $(FROM) | tar x -C target/older && \
	  $(MVN) -q -f target/older/pom.xml package -DskipTests -Punchecked)
	@$(THIS_MAKE) --no-print-directory it IT=PodsIT IT_OPTIONS='$(if $(FROM),-Dberth.older=target/older)'

.PHONY: test-fast
test-fast: ## unit tests only, on fewer seeds, without the checks of the code, coverage and Go (a minute)
	@$(FAST_BUILD) $(TEST_LOG) test $(FAST_SEEDS)

.PHONY: it
it: kube-to-test lab-tools ## one integration test, built without the checks: make it IT=PoolEditsIT
	@test -n "$(IT)" || { echo "make: which one? For example: make it IT=PoolEditsIT" >&2; exit 2; }
	@for it in $$(echo '$(IT)' | tr , ' '); do test -n "$$(find src/test/java -name "$${it%%#*}.java")" || \
	  { echo "make: src/test/java has no $${it%%#*}.java" >&2; exit 2; }; done
	@$(FAST_BUILD) $(TEST_LOG) verify -DskipUTs -Dit.test='$(IT)' $(IT_OPTIONS)

.PHONY: dev
dev: kube-to-run ## an API server that stays up; after each edit only the operator is built and started again
	@echo "make: building; the first time Maven fetches about 200 MB, later it takes half a minute"
	@$(FAST_BUILD) package -DskipTests $(DEPENDENCY_PLUGIN):build-classpath -Dmdep.outputFile=target/fast/target/test.classpath
	@$(JDK) java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.util.logging.manager=org.jboss.logmanager.LogManager \
	  --sun-misc-unsafe-memory-access=allow -Dberth.build=target/fast/target \
	  -cp "target/fast/target/test-classes:target/fast/target/classes:$$(cat target/fast/target/test.classpath)" \
	  dev.berth.demo.Dev $(FAST_BUILD) package -DskipTests

.PHONY: test-units
test-units: generated-check go-check workflows-check bundle-check go-test ## what CI runs beside the integration tests: all the checks, and the unit tests
	@$(FULL_BUILD) verify -DskipITs
	@$(SLOWEST)

.PHONY: test-its
test-its: kube-to-test lab-tools ## the integration tests, or a part of them: make test-its SHARD=1/3
	@its=$(SHARD_ITS) && echo "make: shard $(SHARD): $$its" && $(FULL_BUILD) verify -DskipUTs -Djacoco.skip=true -Dit.test="$$its"
	@$(SLOWEST)

.PHONY: bench
bench: $(AOT_CACHE) ## compares Berth with Kubernetes' own service controller and MetalLB's (90 minutes); make bench BENCH="--rounds=1 --only=Berth"
	@$(KUBE) $(KUBERNETES_TO_RUN) service-controller metallb
	@$(JAVA_TEST_TREE) dev.berth.bench.Bench $(BENCH)

.PHONY: bench-docs
bench-docs: ## the same, and writes the table into docs/performance.md
	@$(MAKE) --no-print-directory bench BENCH="$(BENCH) --write=docs/performance.md"

.PHONY: bench-haproxy
bench-haproxy: lab-possible kube-to-lab $(AOT_CACHE) ## (root, Linux) compares Berth's HAProxy with one by hand, and times changes (minutes)
	@src/test/lab/tools bench
	@$(JDK) src/test/lab/bin/java $(JAVA_OPTIONS) -Dberth.aot=true dev.berth.lab.HaproxyBench

.PHONY: bench-bgp
bench-bgp: lab-possible kube-to-lab lab-tools $(AOT_CACHE) ## (root, Linux) how fast routes follow, and what is lost when something ends (minutes)
	@$(JDK) src/test/lab/bin/java $(JAVA_OPTIONS) -Dberth.aot=true dev.berth.lab.BgpBench

.PHONY: bench-l2
bench-l2: lab-possible kube-to-lab lab-tools $(AOT_CACHE) ## (root, Linux) agents beside MetalLB's speakers: memory, and how long an address is away when it moves
	@$(KUBE) metallb metallb-speaker
	@$(JDK) src/test/lab/bin/java $(JAVA_OPTIONS) -Dberth.aot=true dev.berth.lab.L2Bench $(BENCH)

.PHONY: bench-address
bench-address: $(BUILT) ## measures the ledger of addresses by how many it holds (minutes)
	@$(JMH) dev.berth.bench.AddressBench

.PHONY: bench-service
bench-service: $(BUILT) ## measures Berth's own code for a Service that comes and goes, without an API server (minutes)
	@$(JMH) dev.berth.controller.service.ServiceBench

.PHONY: bench-cluster-ip
bench-cluster-ip: $(BUILT) ## measures the index of cluster IPs by how many are taken (minutes)
	@$(JMH) dev.berth.bench.ClusterIpBench

.PHONY: bench-many-ips
bench-many-ips: kube-to-run $(BUILT) ## measures a ServiceCIDRPolicy on an API server with 50,000 IPAddresses
	@$(JAVA_TEST_TREE) dev.berth.bench.ManyClusterIps

.PHONY: mutation
mutation: ## breaks ip, pool, claim and servicecidr in every way PIT knows, and counts what the tests notice (long)
	@echo "make: mutating dev.berth.ip, pool, claim and servicecidr; the report will be target/pit-reports/index.html"
	@$(MVN) test-compile org.pitest:pitest-maven:mutationCoverage -Dorg.slf4j.simpleLogger.defaultLogLevel=warn

.PHONY: soak
soak: $(BUILT) ## simulates operators on seeds that the tests do not have, on all cores: make soak MINUTES=10
	@$(JDK) java -XX:+UseSerialGC -Djdk.virtualThreadScheduler.parallelism=$$(getconf _NPROCESSORS_ONLN) \
	  -Djava.util.logging.manager=org.jboss.logmanager.LogManager \
	  -cp "target/test-classes:target/classes:$$(cat $(BUILT))" \
	  dev.berth.controller.service.Soak $(if $(SEEDS),--seeds $(SEEDS),--minutes $(MINUTES)) $(if $(FIRST),--first $(FIRST))

.PHONY: kube
kube: ## fetches or builds etcd and kube-apiserver into ~/.cache/berth; ALL=1: what the tests use, too
	@$(KUBE) $(if $(filter-out 0,$(ALL)),$(KUBERNETES_TO_TEST),$(KUBERNETES_TO_RUN))

.PHONY: manifests
manifests: kubectl $(BUILT) ## regenerates crds/ and src/main/kubernetes/berth.yaml
	@echo "make: writing $(CRDS)/ and $(ONE_FILE)"
	@$(JAVA_TEST_TREE) dev.berth.api.CrdFiles $(CRDS)
	@mkdir -p target && $(KUSTOMIZE) > target/berth.yaml && mv target/berth.yaml $(ONE_FILE)

.PHONY: bundle
bundle: kubectl ## writes a bundle for the Operator Lifecycle Manager into target/bundle, and validates it
	@KUBECTL=$$(command -v kubectl || $(KUBE) --path kubectl) src/build/olm
	@echo "make: target/bundle"

.PHONY: proto
proto: ## regenerates the Go form of src/main/proto
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
check: generated-check go-check workflows-check bundle-check ## checks format, compiler findings, workflows, the bundle, and that generated files are up to date
	@echo "make: checking the format, the compiler's findings and $(CRDS)/"
	@$(MVN) -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Pchecks test -Dtest=CrdGenerationTest -Dquarkus.log.level=WARN

# --- What the targets above are made of -------------------------------------

.PHONY: kube-to-run kube-to-lab kube-to-cluster kube-to-test kubectl lab-possible
kube-to-run:
	@$(KUBE) $(KUBERNETES_TO_RUN)

kube-to-lab:
	@$(KUBE) $(KUBERNETES_TO_LAB)

kube-to-cluster:
	@$(KUBE) $(KUBERNETES_TO_LAB) $(KUBERNETES_OF_NODES)

# Says so before anything is built.
lab-possible:
	@src/test/lab/lab possible

kube-to-test:
	@$(KUBE) $(KUBERNETES_TO_TEST)

.PHONY: lab-tools
lab-tools: ## gets what the lab needs beside Kubernetes (nftables, HAProxy, runc, ...), without installing it
	@src/test/lab/tools
	@src/test/lab/tools pods
	@src/test/lab/tools prometheus

kubectl:
	@command -v kubectl >/dev/null || $(KUBE) kubectl

.PHONY: generated-check
generated-check: one-file-check proto-check

# The ten classes that took longest, of the reports that there are.
SLOWEST = sed -n 's/.*<testsuite .* name="\([^"]*\)" time="\([^"]*\)".*/\2 \1/p' target/*-reports/TEST-*.xml | sort -rn | \
  awk 'NR <= 10 { sub(/.*[.]/, "", $$2); printf "%s%s %.0f s", NR == 1 ? "make: slowest: " : ", ", $$2, $$1 } END { print "" }'

# What each class took of the processor, with all that it started; where that is known.
PROCESSOR_TIMES = test ! -f target/processor-seconds || \
  awk '{ seconds[$$2] += $$1 } END { for (name in seconds) print seconds[name], name }' target/processor-seconds | sort -rn | \
  awk '{ all += $$1; if ($$2 ~ /[.]lab[.]/) lab += $$1; sub(/.*[.]/, "", $$2); if (NR <= 10) most = most sprintf(", %s %.0f", $$2, $$1) } \
    END { printf "make: processor seconds of integration tests: %.0f, %.0f of them in the lab; most%s\n", all, lab, most }'

.PHONY: go-test
go-test:
	@echo "make: the tests of $(EXAMPLES) in Go"
	@$(GO) test -mod=readonly ./...

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

.PHONY: bundle-check
bundle-check: kubectl
	@echo "make: checking that the manifests make a valid bundle; the first time, Go compiles for a minute"
	@KUBECTL=$$(command -v kubectl || $(KUBE) --path kubectl) src/build/olm target/checks/bundle

WORKFLOWS = $(wildcard $(CURDIR)/.github/workflows/*.yml)

.PHONY: workflows-check
workflows-check:
	@echo "make: checking .github/workflows with actionlint, and that each action is pinned by its commit"
	@cd src/build/actionlint && GOWORK=off CGO_ENABLED=0 go run -mod=readonly github.com/rhysd/actionlint/cmd/actionlint \
	  -shellcheck= -pyflakes= $(WORKFLOWS)
	@! grep -n 'uses: *[^. ]' $(WORKFLOWS) | grep -v -E '@[0-9a-f]{40} # v[0-9.]+$$' || \
	  { echo "make: name these by the commit of a version: uses: OWNER/NAME@<40 digits> # vX.Y.Z" >&2; exit 1; }

$(BUILT): $(BUILT_FROM)
	@echo "make: building; the first time Maven fetches about 200 MB, later it takes half a minute"
	@$(MVN) -q package -DskipTests -Djacoco.skip=true -Dmaven.javadoc.skip=true $(DEPENDENCY_PLUGIN):build-classpath -Dmdep.outputFile=$@.new
	@mv $@.new $@

$(AOT_CACHE): $(BUILT) $(APPLICATION) src/main/docker/jvm.options
	@echo "make: recording the classes that the operator needs"
	@$(JDK) java -cp "target/test-classes:target/quarkus-app/lib/main/*:target/quarkus-app/lib/boot/*" \
	  dev.berth.rehearsal.Rehearsal @src/main/docker/jvm.options -XX:AOTCacheOutput=$@.part \
	  -jar target/quarkus-app/quarkus-run.jar operator --leader-elect --http-port=0 --log-format=json \
	  > target/rehearsal.log 2>&1 || { tail -n 20 target/rehearsal.log >&2; exit 1; }
	@mv $@.part $@
