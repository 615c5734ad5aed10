package dev.berth.address;

import static dev.berth.address.Sample.book;
import static dev.berth.address.Sample.key;
import static dev.berth.address.Sample.pool;
import static dev.berth.address.Sample.request;
import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedSet;
import org.junit.jupiter.api.Test;

class LedgerPropertyTest {
    private static final int SEEDS = 3_000;

    /** Services that ask, get, wait and give back, in any order. */
    private static final class World {
        final Random random;
        final Ledger ledger = new Ledger();
        final Map<String, AddressRequest> wanting = new LinkedHashMap<>();
        final SequencedSet<ServiceKey> due = new LinkedHashSet<>();
        int time;
        int revision;

        World(long seed) {
            random = new Random(seed);
            editPools();
        }

        void editPools() {
            List<PoolDeclaration> pools = new ArrayList<>();
            pools.add(pool("a", 0, random.nextInt(3), "192.0.2.0-192.0.2." + random.nextInt(4)));
            if (random.nextBoolean()) {
                pools.add(pool("b", 1, random.nextInt(3), "198.51.100.0-198.51.100." + random.nextInt(3)));
            }
            if (random.nextBoolean()) {
                pools.add(pool("c", 2, 1, "2001:db8::-2001:db8::" + random.nextInt(4)));
            }
            due.addAll(ledger.usePools(book(pools.toArray(new PoolDeclaration[0]))));
        }

        void step() {
            switch (random.nextInt(6)) {
                case 0, 1 -> want("s" + random.nextInt(9));
                case 2, 3 -> giveBack();
                case 4 -> serveOneOfDue();
                default -> {
                    if (random.nextInt(6) == 0) {
                        editPools();
                    }
                }
            }
        }

        void want(String name) {
            if (wanting.containsKey(name) || !ledger.heldFor(key(name)).isEmpty()) {
                return;
            }
            AddressRequest request = switch (random.nextInt(5)) {
                case 0 -> request(name, ++time, true, IpFamily.IPV4, IpFamily.IPV6);
                case 1 -> request(name, ++time, IpFamily.IPV6);
                case 2 -> request(name, ++time, IpFamily.IPV6, IpFamily.IPV4);
                default -> request(name, ++time, IpFamily.IPV4);
            };
            wanting.put(name, request);
            serve(request);
        }

        void serve(AddressRequest request) {
            Choice choice = ledger.choose(request);
            if (choice instanceof Choice.Assigned assigned) {
                assertThat(ledger.hold(assigned)).isTrue();
                for (Choice.Pick pick : assigned.picks()) {
                    ledger.observe(Sample.claim(request, pick, ++revision));
                }
                wanting.remove(request.service().name());
                due.addAll(ledger.stopWaiting(request.service()));
            } else {
                due.addAll(ledger.await(request));
            }
        }

        void serveOneOfDue() {
            if (!due.isEmpty()) {
                AddressRequest request = wanting.get(due.removeFirst().name());
                if (request != null) {
                    serve(request);
                }
            }
        }

        void giveBack() {
            List<Holding> all = new ArrayList<>(ledger.holdings());
            all.sort((a, b) -> a.ip().compareTo(b.ip()));
            if (!all.isEmpty()) {
                due.addAll(ledger.free(all.get(random.nextInt(all.size())).ip()));
            } else if (!wanting.isEmpty()) {
                String name = wanting.keySet().iterator().next();
                wanting.remove(name);
                due.addAll(ledger.stopWaiting(key(name)));
            }
        }

        void drain(long seed) {
            int left = 10_000;
            while (!due.isEmpty()) {
                assertThat(left--)
                        .as("seed %s: they wake each other for ever", seed)
                        .isPositive();
                serveOneOfDue();
            }
        }

        Map<String, BigInteger> uses() {
            Map<String, BigInteger> uses = new LinkedHashMap<>();
            for (Pool pool : ledger.pools().pools()) {
                for (IpFamily family : IpFamily.values()) {
                    uses.put(
                            pool.name() + family,
                            ledger.use(pool.name(), family).allocated());
                }
            }
            return uses;
        }
    }

    @Test
    void nobodyWaits_whileAnAddressThatHeMayTakeIsFree() {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed);
            for (int i = 0; i < 60; i++) {
                world.step();
            }
            world.drain(seed);
            for (AddressRequest request : world.wanting.values()) {
                assertThat(world.ledger.choose(request))
                        .as("seed %s: %s waits", seed, request.service())
                        .isInstanceOf(Choice.Refused.class);
            }
        }
    }

    @Test
    void capacity_isAllocatedAndAvailable_andNoAddressIsCountedTwice() {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed);
            for (int i = 0; i < 60; i++) {
                world.step();
                for (Pool pool : world.ledger.pools().pools()) {
                    for (IpFamily family : IpFamily.values()) {
                        PoolUse use = world.ledger.use(pool.name(), family);
                        long held = world.ledger.holdings().stream()
                                .filter(holding -> holding.ip().family() == family
                                        && pool.ranges(family).stream().anyMatch(r -> r.contains(holding.ip())))
                                .count();
                        assertThat(use.allocated()).as("seed %s", seed).isEqualTo(BigInteger.valueOf(held));
                        assertThat(use.available()).as("seed %s", seed).isNotNegative();
                    }
                }
                assertThat(new HashSet<>(world.ledger.holdings().stream()
                                .map(Holding::ip)
                                .toList()))
                        .as("seed %s", seed)
                        .hasSameSizeAs(world.ledger.holdings());
            }
        }
    }

    @Test
    void allocateThenRelease_restoresTheLedger() {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed);
            for (int i = 0; i < 30; i++) {
                world.step();
            }
            Map<String, BigInteger> before = world.uses();
            ArrayDeque<Ip> taken = new ArrayDeque<>();
            AddressRequest request = request("extra", 0, IpFamily.IPV4);
            if (world.ledger.choose(request) instanceof Choice.Assigned assigned && world.ledger.hold(assigned)) {
                assigned.picks().forEach(pick -> taken.add(pick.ip()));
            }
            taken.forEach(ip -> world.ledger.giveUp(ip, request.owner()));

            assertThat(world.uses()).as("seed %s", seed).isEqualTo(before);
        }
    }

    @Test
    void theOrderOfTheList_changesNothingAtARebuild() {
        for (long seed = 0; seed < SEEDS; seed++) {
            World world = new World(seed);
            for (int i = 0; i < 40; i++) {
                world.step();
            }
            List<Claim> claims = new ArrayList<>();
            world.ledger.holdings().forEach(holding -> {
                if (holding.claim() != null) {
                    claims.add(holding.claim());
                }
            });
            Map<String, BigInteger> before = world.uses();
            Collections.shuffle(claims, new Random(seed));
            world.ledger.rebuild(claims);

            assertThat(world.uses()).as("seed %s", seed).isEqualTo(before);
        }
    }
}
