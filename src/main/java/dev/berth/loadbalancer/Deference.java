package dev.berth.loadbalancer;

import java.util.List;

/**
 * Why Services that name no class are left to another controller.
 *
 * @param sign what was seen, human-readable: {@code Node "a" has providerID aws:///…}
 */
public record Deference(String sign) {
    /**
     * What the {@code providerID} of a Node begins with, where the cloud's controller serves Services of type
     * LoadBalancer. Not here: those that only name machines, such as vSphere, metal3, Proxmox, MAAS or kind.
     *
     * @see <a href="https://github.com/kubernetes/cloud-provider-aws">aws</a>
     * @see <a href="https://github.com/kubernetes-sigs/cloud-provider-azure">azure</a>
     * @see <a href="https://github.com/kubernetes/cloud-provider-gcp">gce</a>
     * @see <a href="https://github.com/kubernetes/cloud-provider-openstack">openstack</a>
     * @see <a href="https://github.com/kubernetes/cloud-provider-alibaba-cloud">alicloud</a>
     * @see <a href="https://github.com/huaweicloud/huaweicloud-ccm">huaweicloud</a>
     * @see <a href="https://github.com/TencentCloud/tencentcloud-cloud-controller-manager">qcloud</a>
     * @see <a href="https://github.com/IBM-Cloud/cloud-provider-ibm">ibm</a>
     * @see <a href="https://github.com/oracle/oci-cloud-controller-manager">oci</a>
     * @see <a href="https://github.com/digitalocean/digitalocean-cloud-controller-manager">digitalocean</a>
     * @see <a href="https://github.com/hetznercloud/hcloud-cloud-controller-manager">hcloud, hrobot</a>
     * @see <a href="https://github.com/linode/linode-cloud-controller-manager">linode</a>
     * @see <a href="https://github.com/vultr/vultr-cloud-controller-manager">vultr</a>
     * @see <a href="https://github.com/scaleway/scaleway-cloud-controller-manager">scaleway</a>
     * @see <a href="https://upcloud.com/docs/guides/expose-services-upcloud-load-balancer-https/">upcloud</a>
     * @see <a href="https://github.com/exoscale/exoscale-cloud-controller-manager">exoscale</a>
     * @see <a href="https://github.com/civo/civo-cloud-controller-manager">civo</a>
     * @see <a href="https://github.com/kubernetes-sigs/cloud-provider-equinix-metal">equinixmetal</a>
     * @see <a href="https://github.com/cloudscale-ch/cloudscale-cloud-controller-manager">cloudscale</a>
     * @see <a href="https://github.com/stackitcloud/cloud-provider-stackit">stackit</a>
     * @see <a href="https://github.com/apache/cloudstack-kubernetes-provider">external-cloudstack</a>
     * @see <a href="https://github.com/kubevirt/cloud-provider-kubevirt">kubevirt</a>
     * @see <a href="https://github.com/harvester/cloud-provider-harvester">harvester</a>
     * @see <a href="https://docs.k3s.io/networking/networking-services#service-load-balancer">k3s</a>
     */
    private static final List<String> SERVE_LOAD_BALANCERS = List.of(
            "aws",
            "azure",
            "gce",
            "openstack",
            "alicloud",
            "huaweicloud",
            "qcloud",
            "ibm",
            "oci",
            "digitalocean",
            "hcloud",
            "hrobot",
            "linode",
            "vultr",
            "scaleway",
            "upcloud",
            "exoscale",
            "civo",
            "equinixmetal",
            "cloudscale",
            "stackit",
            "external-cloudstack",
            "kubevirt",
            "harvester",
            "k3s");

    /** Whether a Node's {@code spec.providerID} names something whose own controller serves load balancers. */
    public static boolean isCloud(String providerId) {
        int end = providerId.indexOf("://");
        // Oracle's are bare identifiers.
        return providerId.startsWith("ocid1.")
                || (end > 0 && SERVE_LOAD_BALANCERS.contains(providerId.substring(0, end)));
    }
}
