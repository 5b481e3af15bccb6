{{/* The services of this release, each with the defaults below its own values: a map as YAML. */}}
{{- define "fairlead.services" -}}
{{- $only := .Values.only -}}
{{- if and $only (not (hasKey .Values.services $only)) -}}
{{- fail (printf "only: no service is named %s" $only) -}}
{{- end -}}
{{- $chosen := dict -}}
{{- range $name, $own := .Values.services -}}
{{- if and $own.enabled (or (not $only) (eq $only $name)) -}}
{{- $service := mergeOverwrite (deepCopy $.Values.defaults) (deepCopy $own) -}}
{{- if and $service.hpa.enabled $service.keda.enabled -}}
{{- fail (printf "services.%s: hpa and keda at once: KEDA makes an autoscaler of its own" $name) -}}
{{- end -}}
{{- if and $service.keda.enabled (not $service.groups) -}}
{{- fail (printf "services.%s.keda: it reads no topic, so there is no lag to scale on" $name) -}}
{{- end -}}
{{- $_ := set $chosen $name $service -}}
{{- end -}}
{{- end -}}
{{- toYaml $chosen -}}
{{- end -}}

{{- define "fairlead.labels" -}}
{{ include "fairlead.selector" . }}
app.kubernetes.io/version: {{ include "fairlead.tag" . | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* What never changes in the life of a service, so not the release either. */}}
{{- define "fairlead.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: {{ .root.Values.namePrefix }}
{{- end -}}

{{- define "fairlead.tag" -}}
{{- $own := "" -}}
{{- with .service -}}{{- $own = .tag -}}{{- end -}}
{{- $own | default .root.Values.image.tag | default .root.Chart.AppVersion -}}
{{- end -}}

{{- define "fairlead.configMap" -}}
{{- .Values.configMap | default (ternary (printf "%s-%s-config" .Values.namePrefix (.Values.only | default "all")) "" (ne .Values.config "")) -}}
{{- end -}}

{{- define "fairlead.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "fairlead.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Where the servers are, for services and jobs. Secrets come as files: a changed one is mounted anew. */}}
{{- define "fairlead.serverEnv" -}}
- { name: KAFKA_BROKERS, value: {{ .Values.kafka.brokers | quote }} }
- { name: TOPIC_PREFIX, value: {{ .Values.kafka.topicPrefix | quote }} }
- { name: SCHEMA_REGISTRY_URL, value: {{ .Values.registryUrl | quote }} }
{{- with .Values.kafka.sasl.mechanism }}
- { name: KAFKA_SASL_MECHANISM, value: {{ . | quote }} }
- { name: KAFKA_SASL_USERNAME_FILE, value: /var/run/secrets/fairlead/kafka/username }
- { name: KAFKA_SASL_PASSWORD_FILE, value: /var/run/secrets/fairlead/kafka/password }
{{- end }}
{{- if .Values.kafka.tls.enabled }}
- { name: KAFKA_SSL_CA_FILE, value: /var/run/secrets/fairlead/kafka/ca.crt }
{{- if .Values.kafka.tls.clientCertificate }}
- { name: KAFKA_SSL_CERT_FILE, value: /var/run/secrets/fairlead/kafka/tls.crt }
- { name: KAFKA_SSL_KEY_FILE, value: /var/run/secrets/fairlead/kafka/tls.key }
{{- end }}
{{- end }}
{{- if include "fairlead.configMap" . }}
- { name: FAIRLEAD_CONFIG, value: /etc/fairlead/fairlead.yaml }
{{- end }}
{{- end -}}

{{- define "fairlead.usesKafkaSecret" -}}
{{- if or .Values.kafka.sasl.mechanism .Values.kafka.tls.enabled -}}yes{{- end -}}
{{- end -}}

{{- define "fairlead.serverMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if include "fairlead.usesKafkaSecret" . }}
- { name: kafka, mountPath: /var/run/secrets/fairlead/kafka, readOnly: true }
{{- end }}
{{- if include "fairlead.configMap" . }}
- { name: config, mountPath: /etc/fairlead, readOnly: true }
{{- end }}
{{- end -}}

{{- define "fairlead.serverVolumes" -}}
- { name: tmp, emptyDir: {} }
{{- if include "fairlead.usesKafkaSecret" . }}
- { name: kafka, secret: { secretName: {{ .Values.kafka.secret }} } }
{{- end }}
{{- with include "fairlead.configMap" . }}
- { name: config, configMap: { name: {{ . }} } }
{{- end }}
{{- end -}}
