// Command bundle writes a bundle for the Operator Lifecycle Manager, and validates it.
//
//	kubectl kustomize src/main/kubernetes | bundle VERSION DIRECTORY EXAMPLE...
//
// It is made of the manifests on the standard input. EXAMPLE are files with an object
// of each kind, which consoles offer. DIRECTORY gets manifests/, metadata/ and
// bundle.Dockerfile. A finding of the validators, a warning too, ends it with 1.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/blang/semver/v4"
	"github.com/operator-framework/api/pkg/lib/version"
	"github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"github.com/operator-framework/api/pkg/validation"
	"github.com/operator-framework/api/pkg/validation/errors"
	appsv1 "k8s.io/api/apps/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

const (
	name    = "berth"
	channel = "alpha"
)

// What the lifecycle manager makes itself, of its own object.
var made = map[string]bool{
	"Namespace/berth-system": true, "ServiceAccount/berth": true, "Deployment/berth": true, "ClusterRole/berth": true,
	"ClusterRoleBinding/berth": true, "Role/berth": true, "RoleBinding/berth": true,
}

// What agents write for the operator, and no user: consoles do not offer it.
var internal = map[string]bool{"AgentReport": true}

// The project has no icon.
const noIcon = "csv.Spec.Icon not specified"

// Asked for internal kinds too.
const noExample = "provided API should have an example annotation"

func main() {
	if len(os.Args) < 4 {
		fail("usage: bundle VERSION DIRECTORY EXAMPLE... < manifests")
	}
	input, err := io.ReadAll(os.Stdin)
	check(err)
	directory := os.Args[2]
	write(filepath.Join(directory, "manifests", name+".clusterserviceversion.yaml"), csv(os.Args[1], objects(input), os.Args[3:]))
	for _, object := range objects(input) {
		if !made[key(object)] {
			object.SetNamespace("")
			file := strings.ToLower(object.GetName() + "." + object.GetKind() + ".yaml")
			write(filepath.Join(directory, "manifests", file), object.Object)
		}
	}
	labels := map[string]string{
		"operators.operatorframework.io.bundle.mediatype.v1":       "registry+v1",
		"operators.operatorframework.io.bundle.manifests.v1":       "manifests/",
		"operators.operatorframework.io.bundle.metadata.v1":        "metadata/",
		"operators.operatorframework.io.bundle.package.v1":         name,
		"operators.operatorframework.io.bundle.channels.v1":        channel,
		"operators.operatorframework.io.bundle.channel.default.v1": channel,
	}
	write(filepath.Join(directory, "metadata", "annotations.yaml"), map[string]interface{}{"annotations": labels})
	check(os.WriteFile(filepath.Join(directory, "bundle.Dockerfile"), dockerfile(labels), 0o644))
	validate(directory)
}

func csv(release string, all []unstructured.Unstructured, examples []string) *v1alpha1.ClusterServiceVersion {
	number, err := semver.Parse(release)
	check(err)
	csv := &v1alpha1.ClusterServiceVersion{}
	csv.APIVersion, csv.Kind = v1alpha1.ClusterServiceVersionAPIVersion, v1alpha1.ClusterServiceVersionKind
	csv.Name = name + ".v" + release
	csv.Spec = v1alpha1.ClusterServiceVersionSpec{
		DisplayName: "Berth",
		Description: "Gives each Service of `type: LoadBalancer` its address, on a cluster without a cloud, has the traffic" +
			" brought there, and writes into its status how the packets arrive (`ipMode`).\n\nWhat comes next: an AddressPool, and" +
			" a LoadBalancerClass for Services that name none.",
		Version:        version.OperatorVersion{Version: number},
		MinKubeVersion: "1.29.0",
		Maturity:       "alpha",
		Provider:       v1alpha1.AppLink{Name: "Berth"},
		Keywords:       []string{"LoadBalancer", "ipMode", "bare metal"},
		InstallModes: []v1alpha1.InstallMode{
			{Type: v1alpha1.InstallModeTypeOwnNamespace},
			{Type: v1alpha1.InstallModeTypeSingleNamespace},
			{Type: v1alpha1.InstallModeTypeMultiNamespace},
			{Type: v1alpha1.InstallModeTypeAllNamespaces, Supported: true},
		},
	}
	csv.Spec.InstallStrategy.StrategyName = v1alpha1.InstallStrategyNameDeployment
	strategy := &csv.Spec.InstallStrategy.StrategySpec
	for _, object := range all {
		switch key(object) {
		case "Deployment/berth":
			deployment := appsv1.Deployment{}
			convert(object, &deployment)
			strategy.DeploymentSpecs = []v1alpha1.StrategyDeploymentSpec{{Name: name, Spec: deployment.Spec}}
			csv.Annotations = map[string]string{
				"capabilities":   "Basic Install",
				"categories":     "Networking",
				"containerImage": deployment.Spec.Template.Spec.Containers[0].Image,
			}
		case "ClusterRole/berth":
			role := rbacv1.ClusterRole{}
			convert(object, &role)
			strategy.ClusterPermissions = []v1alpha1.StrategyDeploymentPermissions{{ServiceAccountName: name, Rules: role.Rules}}
		case "Role/berth":
			role := rbacv1.Role{}
			convert(object, &role)
			strategy.Permissions = []v1alpha1.StrategyDeploymentPermissions{{ServiceAccountName: name, Rules: role.Rules}}
		}
		if object.GetKind() == "CustomResourceDefinition" {
			csv.Spec.CustomResourceDefinitions.Owned = append(csv.Spec.CustomResourceDefinitions.Owned, owned(object))
		}
	}
	csv.Annotations["operators.operatorframework.io/internal-objects"] = internalObjects(csv)
	csv.Annotations["alm-examples"] = almExamples(csv, examples)
	return csv
}

func owned(crd unstructured.Unstructured) v1alpha1.CRDDescription {
	kind, _, err := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	check(err)
	versions, _, err := unstructured.NestedSlice(crd.Object, "spec", "versions")
	check(err)
	served := versions[0].(map[string]interface{})
	description, _, err := unstructured.NestedString(served, "schema", "openAPIV3Schema", "description")
	check(err)
	return v1alpha1.CRDDescription{
		Name: crd.GetName(), Version: served["name"].(string), Kind: kind, DisplayName: kind, Description: description,
	}
}

func internalObjects(csv *v1alpha1.ClusterServiceVersion) string {
	names := []string{}
	for _, kind := range csv.Spec.CustomResourceDefinitions.Owned {
		if internal[kind.Kind] {
			names = append(names, kind.Name)
		}
	}
	text, err := json.Marshal(names)
	check(err)
	return string(text)
}

// One of each kind, the first that a file has.
func almExamples(csv *v1alpha1.ClusterServiceVersion, files []string) string {
	found := map[string]map[string]interface{}{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		for _, object := range objects(text) {
			if _, seen := found[object.GetKind()]; !seen {
				found[object.GetKind()] = object.Object
			}
		}
	}
	examples := []map[string]interface{}{}
	for _, kind := range csv.Spec.CustomResourceDefinitions.Owned {
		if example, there := found[kind.Kind]; there {
			examples = append(examples, example)
		}
	}
	text, err := json.MarshalIndent(examples, "", "  ")
	check(err)
	return string(text)
}

func validate(directory string) {
	bundle, err := manifests.GetBundleFromDir(directory)
	check(err)
	validators := validation.DefaultBundleValidators.WithValidators(validation.OperatorHubValidator, validation.ObjectValidator)
	findings := 0
	for _, result := range validators.Validate(bundle.ObjectsToValidate()...) {
		for _, finding := range append(result.Errors, result.Warnings...) {
			if !isExempt(finding) {
				findings++
				fmt.Fprintf(os.Stderr, "bundle: %s: %s\n", result.Name, finding.Error())
			}
		}
	}
	if findings > 0 {
		os.Exit(1)
	}
}

func isExempt(finding errors.Error) bool {
	if gvk, ofKind := finding.BadValue.(schema.GroupVersionKind); ofKind && internal[gvk.Kind] {
		return finding.Detail == noExample
	}
	return strings.HasSuffix(finding.Detail, noIcon)
}

// Of YAML documents; those of which only comments are there are none.
func objects(text []byte) []unstructured.Unstructured {
	all := []unstructured.Unstructured{}
	for _, document := range bytes.Split(append([]byte("\n"), text...), []byte("\n---\n")) {
		object := unstructured.Unstructured{}
		check(yaml.Unmarshal(document, &object.Object))
		if len(object.Object) > 0 {
			all = append(all, object)
		}
	}
	return all
}

func key(object unstructured.Unstructured) string { return object.GetKind() + "/" + object.GetName() }

// Fails if the type has no place for something: it would be lost.
func convert(object unstructured.Unstructured, into interface{}) {
	text, err := yaml.Marshal(object.Object)
	check(err)
	check(yaml.UnmarshalStrict(text, into))
}

func dockerfile(labels map[string]string) []byte {
	lines := []string{"FROM scratch"}
	for label, value := range labels {
		lines = append(lines, "LABEL "+label+"="+value)
	}
	sort.Strings(lines)
	return []byte(strings.Join(append(lines, "COPY manifests /manifests/", "COPY metadata /metadata/"), "\n") + "\n")
}

func write(file string, object interface{}) {
	text, err := yaml.Marshal(object)
	check(err)
	check(os.MkdirAll(filepath.Dir(file), 0o755))
	check(os.WriteFile(file, text, 0o644))
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, "bundle: "+message)
	os.Exit(1)
}
