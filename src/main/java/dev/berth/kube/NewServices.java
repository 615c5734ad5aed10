package dev.berth.kube;

import dev.berth.address.Ip;
import dev.berth.address.ServiceKey;
import dev.berth.clusterip.ClusterIp;
import dev.berth.clusterip.ServiceCidr;
import io.fabric8.kubernetes.api.model.Service;
import java.util.List;

/**
 * All that creating a Service with a cluster IP of one's choice reads and writes, live. No method throws for what the
 * API server may answer.
 */
public interface NewServices {
    Read<List<ServiceCidr>> readServiceCidrs();

    /** There may be tens of thousands. */
    Read<List<ClusterIp>> readClusterIps();

    /** The one of this address; empty: it is free. */
    Read<List<ClusterIp>> readClusterIp(Ip ip);

    Read<Service> read(ServiceKey service);

    /** Asks the API server whether it would create it, and changes nothing. A field that it does not know: Refused. */
    Write<Service> rehearse(Service service);

    /** Creates it. A Conflict means that there is one of this name already; a field that is not known: Refused. */
    Write<Service> create(Service service);

    /** Deletes this very IPAddress: one that was made anew meanwhile stays. */
    Write<ClusterIp> release(ClusterIp seen);
}
