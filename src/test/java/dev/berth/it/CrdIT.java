package dev.berth.it;

import dev.berth.testing.KubeBinaries;
import org.junit.jupiter.api.Nested;

/** The kinds on the newest Kubernetes, and on the oldest one that they are made for. */
class CrdIT {
    @Nested
    class OnTheNewest extends CrdRules {
        OnTheNewest() {
            super(KubeBinaries.KUBERNETES);
        }
    }

    @Nested
    class OnTheOldest extends CrdRules {
        OnTheOldest() {
            super(KubeBinaries.GATED_KUBERNETES);
        }
    }
}
