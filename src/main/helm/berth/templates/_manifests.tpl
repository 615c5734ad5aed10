{{/* The manifests of kustomize, as the values want them. */}}

{{/* The text of a file of the manifests: list $ "path". */}}
{{- define "berth.file" -}}
{{- $text := (first .).Files.Get (last .) -}}
{{- if not $text -}}
{{- fail (printf "%s is missing: the chart has it by a symbolic link; check the tree out with links, or use a packaged chart" (last .)) -}}
{{- end -}}
{{- $text -}}
{{- end -}}

{{- define "berth.toolLabels" -}}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Those that the base has in addition, from its kustomization. */}}
{{- define "berth.baseLabels" -}}
{{- $kustomization := include "berth.file" (list . "manifests/kustomization.yaml") | fromYaml -}}
{{- (first $kustomization.labels).pairs | toYaml -}}
{{- end -}}

{{/* The objects that the kustomization of a folder names as resources: list $ "folder". */}}
{{- define "berth.kustomization" -}}
{{- $root := first . -}}
{{- $folder := last . -}}
{{- $kustomization := include "berth.file" (list $root (printf "%s/kustomization.yaml" $folder)) | fromYaml -}}
{{- $labels := dict -}}
{{- if eq $folder "manifests" }}{{ $labels = include "berth.baseLabels" $root | fromYaml }}{{ end -}}
{{- range $resource := $kustomization.resources -}}
{{- /* The kinds are in kinds.yaml, and the namespace of the operator is that of the release. */ -}}
{{- if and (hasSuffix ".yaml" $resource) (not (and (eq $folder "manifests") (eq $resource "namespace.yaml"))) -}}
{{- include "berth.objects" (dict "root" $root "labels" $labels "file" (printf "%s/%s" $folder $resource)) }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The objects of a file: dict "root" $ "file" "path" "labels" what they have in addition. */}}
{{- define "berth.objects" -}}
{{- range $document := regexSplit "(?m)^---$" (include "berth.file" (list .root .file)) -1 }}
{{- $object := fromYaml $document }}
{{- if $object.Error }}{{ fail (printf "%s: %s" $.file $object.Error) }}{{ end }}
{{- $labels := merge (include "berth.toolLabels" $.root | fromYaml) $.labels ($object.metadata.labels | default dict) }}
{{- $_ := set $object.metadata "labels" $labels }}
{{- if eq ($object.metadata.namespace | default "") "berth-system" }}
{{- $_ := set $object.metadata "namespace" $.root.Release.Namespace }}
{{- end }}
{{- range $object.subjects }}
{{- if eq .namespace "berth-system" }}{{ $_ := set . "namespace" $.root.Release.Namespace }}{{ end }}
{{- end }}
{{- if has $object.kind (list "Deployment" "DaemonSet") }}
{{- include "berth.workload" (dict "root" $.root "object" $object) }}
{{- end }}
{{- if eq $object.kind "NetworkPolicy" }}
{{- range $port := $.root.Values.networkPolicy.egressPorts }}
{{- $rule := dict "ports" (list (dict "port" (int $port) "protocol" "TCP")) }}
{{- $_ := set $object.spec "egress" (append $object.spec.egress $rule) }}
{{- end }}
{{- end }}
{{- if not (and (eq $object.kind "PodDisruptionBudget") (eq (int $.root.Values.replicas) 1)) }}
---
{{ toYaml $object }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Changes a Deployment or DaemonSet in place, and prints nothing. */}}
{{- define "berth.workload" -}}
{{- $values := .root.Values -}}
{{- if and $values.dataplanes.bgp.enabled (eq .object.metadata.name "berth-agent") -}}
{{- $kustomization := include "berth.file" (list .root "manifests/components/bgp/kustomization.yaml") | fromYaml -}}
{{- include "berth.patch" (list .object ((first $kustomization.patches).patch | fromYamlArray)) -}}
{{- end -}}
{{- $pod := .object.spec.template.spec -}}
{{- $images := dict "berth" $values.image "berth-haproxy" $values.dataplanes.haproxy.image "berth-gobgp" $values.dataplanes.bgp.image -}}
{{- range $container := $pod.containers -}}
{{- $image := get $images $container.image -}}
{{- $_ := set $container "image" (include "berth.image" (list $.root $image)) -}}
{{- with $image.pullPolicy }}{{ $_ := set $container "imagePullPolicy" . }}{{ end -}}
{{- end -}}
{{- with $values.imagePullSecrets -}}
{{- $secrets := list -}}
{{- range . }}{{ $secrets = append $secrets (dict "name" .) }}{{ end -}}
{{- $_ := set $pod "imagePullSecrets" $secrets -}}
{{- end -}}
{{- $container := first $pod.containers -}}
{{- if eq $container.name "haproxy" -}}
{{- include "berth.checksum" (list .object "haproxy" (include "berth.haproxySettings" .root)) -}}
{{- end -}}
{{- if and (eq $container.name "agent") .root.Values.dataplanes.l2.metrics -}}
{{- $args := list -}}
{{- range $container.args }}{{ $args = append $args (replace "--http=127.0.0.1:" "--http=0.0.0.0:" .) }}{{ end -}}
{{- $_ := set $container "args" $args -}}
{{- $_ := set $container "ports" (append $container.ports (dict "name" "metrics" "containerPort" 7947)) -}}
{{- end -}}
{{- if eq $container.name "operator" }}{{ include "berth.operator" . }}{{ end -}}
{{- end -}}

{{/* Carries out a JSON patch in place, and prints nothing: "add" at the end of a list, "add" and "replace" of a field. */}}
{{- define "berth.patch" -}}
{{- $object := first . -}}
{{- range $operation := last . -}}
{{- $path := splitList "/" (trimPrefix "/" $operation.path) -}}
{{- $isAppend := and (eq $operation.op "add") (eq (last $path) "-") -}}
{{- if $isAppend }}{{ $path = initial $path }}{{ end -}}
{{- $parent := $object -}}
{{- range $step := initial $path -}}
{{- if kindIs "slice" $parent }}{{ $parent = index $parent (int $step) }}{{ else }}{{ $parent = get $parent $step }}{{ end -}}
{{- end -}}
{{- if or (kindIs "slice" $parent) (not (has $operation.op (list "add" "replace"))) }}{{ fail (printf "the chart cannot %s %s" $operation.op $operation.path) }}{{ end -}}
{{- $value := $operation.value -}}
{{- if $isAppend }}{{ $value = append (get $parent (last $path)) $value }}{{ end -}}
{{- $_ := set $parent (last $path) $value -}}
{{- end -}}
{{- end -}}

{{- define "berth.image" -}}
{{- $image := last . -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default (first .).Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "berth.operator" -}}
{{- $values := .root.Values -}}
{{- $pod := .object.spec.template.spec -}}
{{- $container := first $pod.containers -}}
{{- $_ := set .object.spec "replicas" (int $values.replicas) -}}
{{- $mebibytes := regexFind "^[0-9]+" $values.memory | int -}}
{{- if hasSuffix "Gi" $values.memory }}{{ $mebibytes = mul $mebibytes 1024 }}{{ end -}}
{{- if lt (int $mebibytes) 208 -}}
{{- fail (printf "memory: %s is too little; 144Mi of it are for the JVM beside its heap, so set 208Mi or more" $values.memory) -}}
{{- end -}}
{{- range $container.env -}}
{{- if eq .name "JAVA_TOOL_OPTIONS" }}{{ $_ := set . "value" (regexReplaceAll "-Xmx[0-9]+m" .value (printf "-Xmx%dm" (min (sub $mebibytes 144) (div $mebibytes 2)))) }}{{ end -}}
{{- end -}}
{{- $_ := set $container.resources.limits "memory" $values.memory -}}
{{- $_ := set $container.resources.requests "memory" (printf "%dMi" (div (mul $mebibytes 2) 3)) -}}
{{- $args := $container.args -}}
{{- with $values.migrateFrom }}{{ $args = append $args (printf "--migrate-from=%s" (join "," .)) }}{{ end -}}
{{- if ne $values.serviceCidrController "Never" -}}
{{- $args = append $args (printf "--service-cidr-controller=%s" $values.serviceCidrController) -}}
{{- end -}}
{{- if $values.dataplanes.haproxy.enabled -}}
{{- $patch := include "berth.file" (list .root "manifests/components/haproxy/operator.yaml") | fromYaml -}}
{{- $more := $patch.spec.template.spec -}}
{{- $_ := set $container "volumeMounts" (concat (first $more.containers).volumeMounts $container.volumeMounts) -}}
{{- $_ := set $pod "volumes" (concat $more.volumes $pod.volumes) -}}
{{- $args = append $args "--plugin-dir=/etc/berth/plugins" -}}
{{- include "berth.checksum" (list .object "plugins" (include "berth.pluginSettings" .root)) -}}
{{- end -}}
{{- $_ := set $container "args" (concat $args $values.extraArgs) -}}
{{- end -}}

{{/* Stands in for the hash in the name that kustomize gives a ConfigMap: another content starts other Pods. */}}
{{- define "berth.checksum" -}}
{{- $metadata := (first .).spec.template.metadata -}}
{{- $_ := set $metadata "annotations" (dict (printf "checksum/%s" (index . 1)) (sha256sum (last .))) -}}
{{- end -}}

{{- define "berth.pluginSettings" -}}
{{- include "berth.file" (list . "manifests/components/haproxy/lb.grpc.properties") -}}
{{- end -}}

{{- define "berth.haproxySettings" -}}
{{- $settings := include "berth.file" (list . "manifests/components/haproxy/haproxy.properties") -}}
{{- regexReplaceAllLiteral "(?m)^interface=.*$" $settings (printf "interface=%s" .Values.dataplanes.haproxy.interface) -}}
{{- end -}}
