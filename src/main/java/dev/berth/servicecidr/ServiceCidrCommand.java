package dev.berth.servicecidr;

/** What to type to make a ServiceCIDR by hand; kubectl has no command for it. */
final class ServiceCidrCommand {
    private ServiceCidrCommand() {}

    /** As one line for a shell. */
    static String create(String name, String cidr) {
        return "echo '{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"ServiceCIDR\",\"metadata\":{\"name\":\""
                + name + "\"},\"spec\":{\"cidrs\":[\"" + cidr + "\"]}}' | kubectl create -f -";
    }
}
