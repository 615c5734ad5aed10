package dev.berth.controller.service;

import dev.berth.claim.Claim;
import dev.berth.ip.Ip;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** One seed's life of a cluster: people, crashes, outages, and the operator in between. */
final class Simulation {
    private static final int AT_ONCE = 3;

    /** After so many steps of the loops of pools and classes time goes on: two operators may disagree for ever. */
    private static final int LOOKS = 500;

    private final SimulatedWorld world;
    private final SimulatedPeople people;
    private final SimulationRules rules;
    private final Random random;

    /** When the weather changes again, in steps. */
    private int weatherHolds;

    /** For how many steps there are two leaders still. */
    private int usurped;

    /** How often it was waited until nothing happens any more. */
    private int settled;

    /**
     * A life.
     *
     * @param operatorsAtOnce more than one: they know nothing of each other, as without leader election
     * @param isTold whether its story is written
     */
    Simulation(long seed, int operatorsAtOnce, boolean isTold, SimulatedParts parts) {
        world = new SimulatedWorld(seed, operatorsAtOnce == 1, isTold, parts);
        random = world.random;
        people = new SimulatedPeople(world, operatorsAtOnce == 1);
        rules = new SimulationRules(world);
        for (int i = 0; i < operatorsAtOnce; i++) {
            world.operators.add(new SimulatedOperator(world, world.cluster.client()));
        }
    }

    /** The end of what happened, for the message of a failure. */
    String story() {
        return world.story();
    }

    /** Ends the operators: a thread that nobody wakes again would stay for ever. */
    void end() {
        world.operators.forEach(SimulatedOperator::kill);
    }

    /** Lets everything happen at once, then waits until nothing does; throws AssertionError if a rule is broken. */
    void run(int steps, BitSet without) {
        for (int i = 0; i < steps; i++) {
            if (!without.get(i)) {
                world.step(i);
                happen();
                checkAlways();
            }
        }
        settle();
        while (!world.stillUnderWay.isEmpty()) {
            // Sent before the faults ended.
            settle();
        }
        SimulationRules.Found settled = rules.found();
        reconcileEverything();
        rules.lookedAtAgain(settled);
        rules.settled();
        int writes = world.cluster.writes();
        int statuses = world.kinds.writes();
        boolean disagreed = rules.doOperatorsDisagree();
        world.operators.forEach(operator -> operator.loops.queueEverything());
        reconcileEverything();
        rules.check(
                world.cluster.writes() == writes,
                () -> "a further reconcile of everything wrote " + (world.cluster.writes() - writes) + " times");
        checkStatuses(disagreed, statuses, "a further look at everything");
        rules.settled();
        SimulationRules.Found found = rules.found();
        int statusesFound = world.kinds.writes();
        boolean disagreedBefore = rules.doOperatorsDisagree();
        for (SimulatedOperator operator : List.copyOf(world.operators)) {
            operator.kill();
            replace(operator);
        }
        world.trace("restarted after everything settled");
        settle();
        rules.restarted(found);
        if (world.cluster.writes() == found.writes() && !rules.mayPoolsChangeWithARestart()) {
            checkStatuses(disagreedBefore, statusesFound, "a restart of a settled cluster");
        }
        rules.settled();
    }

    private void checkAlways() {
        world.forgetWhatIsUndone();
        rules.always();
    }

    private void checkStatuses(boolean disagreed, int before, String what) {
        rules.check(
                disagreed || rules.doOperatorsDisagree() || world.kinds.writes() == before,
                () -> what + " wrote " + (world.kinds.writes() - before) + " statuses of pools or classes");
    }

    private void happen() {
        world.tick();
        world.operators.forEach(SimulatedOperator::ring);
        endTheFormerLeader();
        changeWeather();
        int dice = random.nextInt(100);
        if (dice < 25) {
            anyOperator().startOne(AT_ONCE);
        } else if (dice < 60) {
            goOn(anyOperator());
        } else if (dice < 84) {
            hear(dice);
        } else if (dice < 94) {
            people.act();
        } else if (dice < 97) {
            world.clock = world.clock.plusSeconds(random.nextInt(20));
            SimulatedOperator operator = anyOperator();
            if (operator.nextTimer().isPresent()) {
                operator.advance();
            }
        } else if (dice < 98) {
            int what = random.nextInt(5);
            if (what == 0) {
                switchIpModeGate();
            } else if (what == 1) {
                loseTheLease();
            } else if (what == 2) {
                world.stepTheClock();
            }
        } else if (dice < 99) {
            if (!world.stillUnderWay.isEmpty()) {
                landLate();
            }
        } else {
            restart();
        }
        happenToPools();
    }

    private void happenToPools() {
        world.operators.forEach(operator -> operator.loops.ring());
        world.operators.forEach(operator -> operator.loops.happen());
        int dice = world.kinds.random.nextInt(100);
        if (dice < 2) {
            world.kinds.act();
        } else if (dice < 3 && !world.kinds.late.isEmpty()) {
            world.kinds.late.removeFirst().run();
        } else if (dice < 4) {
            world.odd.write(people.areStrangersAbout());
        } else if (dice < 5) {
            world.unknownWords.change();
        }
    }

    private SimulatedOperator anyOperator() {
        return world.operators.get(random.nextInt(world.operators.size()));
    }

    private void goOn(SimulatedOperator operator) {
        if (usurped > 0 && operator == world.operators.getFirst()) {
            world.noteLate(operator::stepOne);
        } else {
            operator.stepOne();
        }
    }

    private void hear(int dice) {
        SimulatedOperator operator = anyOperator();
        if (world.weather == SimulatedWorld.Weather.DEAF) {
            return;
        }
        if (dice < 72) {
            operator.hearOfService();
        } else if (dice < 82) {
            operator.hearOfClaim();
        } else {
            operator.hearOfOthers();
        }
    }

    private void changeWeather() {
        if (weatherHolds > 0) {
            weatherHolds--;
        } else if (world.weather != SimulatedWorld.Weather.FAIR) {
            if (world.weather == SimulatedWorld.Weather.DEAF && random.nextBoolean()) {
                world.operators.forEach(operator -> operator.client.missHistory());
            }
            setWeather(SimulatedWorld.Weather.FAIR, 0);
        } else if (random.nextInt(120) == 0) {
            SimulatedWorld.Weather[] all = SimulatedWorld.Weather.values();
            setWeather(all[random.nextInt(all.length)], 10 + random.nextInt(60));
        }
    }

    private void setWeather(SimulatedWorld.Weather weather, int steps) {
        world.weather = weather;
        weatherHolds = steps;
        world.trace("the weather is ", weather);
    }

    private void switchIpModeGate() {
        world.cluster.dropIpMode(!world.cluster.dropsIpMode());
        world.trace("the API server ", world.cluster.dropsIpMode() ? "drops" : "keeps", " ipMode from now on");
    }

    private void landLate() {
        world.trace("a write that nobody waits for any more lands");
        Map<Ip, Claim> before = new TreeMap<>(world.cluster.claims);
        world.land(world.stillUnderWay.removeFirst());
        before.values().removeAll(world.cluster.claims.values());
        // The operator that lives holds it in its ledger, and makes it its own again when it hears of it.
        world.deletedByHand.addAll(before.keySet());
    }

    /** The lease is deleted: another takes it, and the one that has lost it goes on for a while. */
    private void loseTheLease() {
        if (usurped == 0 && world.operators.size() == 1 && people.mayLoseTheLease()) {
            world.trace("another leader begins");
            world.hadTwoLeaders = true;
            world.operators.add(new SimulatedOperator(world, world.cluster.client()));
            usurped = 1 + random.nextInt(40);
        }
    }

    private void endTheFormerLeader() {
        if (usurped > 0 && --usurped == 0) {
            world.trace("the former leader ends");
            world.operators.removeFirst().kill();
        }
    }

    private void restart() {
        // Who leads no longer does not lead again: its token would be newer than that of its successor.
        SimulatedOperator operator = usurped > 0 ? world.operators.getLast() : anyOperator();
        operator.kill();
        if (!world.deletedByHand.isEmpty()) {
            world.stillUnderWay.clear();
        }
        if (random.nextInt(3) != 0) {
            // Down for a while.
            for (int i = random.nextInt(5); i > 0; i--) {
                people.act();
            }
        }
        int luck = world.deletedByHand.isEmpty() ? random.nextInt(5) : 4;
        if (luck == 0) {
            world.trace("restart with caches that lag behind");
            world.hasBegunWithAnOldList = true;
        } else if (luck == 1) {
            world.trace("restart with a list of Services that is older than what the one before had seen");
            operator.client.relist();
            operator.client.serviceCache.forget(1 + random.nextInt(6));
            world.hasBegunWithAnOldList = true;
        } else {
            world.trace("restart");
            operator.client.relist();
        }
        while (operator.client.addressCache.hasNews()) {
            // A list of Addresses that is older than the last deletion is a limit that the design accepts.
            operator.client.addressCache.hear();
        }
        if (world.kinds.random.nextInt(3) != 0) {
            // Else its lists of pools and classes are old.
            world.viewsOf(operator.client).relist();
        }
        replace(operator);
    }

    private void replace(SimulatedOperator dead) {
        world.operators.set(world.operators.indexOf(dead), new SimulatedOperator(world, dead.client));
    }

    // ---- until nothing happens

    private void reconcileEverything() {
        world.trace("reconcile everything");
        world.operators.forEach(SimulatedOperator::queueEverything);
        settle();
    }

    private boolean isIdle() {
        for (SimulatedOperator operator : world.operators) {
            if (!operator.isIdle()) {
                return false;
            }
        }
        return true;
    }

    private boolean loopsAreIdle() {
        for (SimulatedOperator operator : world.operators) {
            if (!operator.loops.isIdle()) {
                return false;
            }
        }
        return true;
    }

    private void settle() {
        if (usurped > 0) {
            usurped = 1;
            endTheFormerLeader();
        }
        world.trace("settle");
        world.step(- ++settled);
        world.faults = false;
        world.cluster.refused.clear();
        world.unknownWords.takeOffAll();
        while (!world.stillUnderWay.isEmpty()) {
            landLate();
        }
        world.kinds.landAll();
        long lookedAt = -1;
        int looks = 0;
        Instant end = world.clock.plus(Duration.ofHours(2));
        for (int i = 0; i < 40_000; i++) {
            if (!isIdle()) {
                world.tick();
                world.operators.forEach(SimulatedOperator::ring);
                switch (random.nextInt(5)) {
                    case 0 -> anyOperator().startOne(AT_ONCE);
                    case 1 -> anyOperator().stepOne();
                    case 2 -> anyOperator().hearOfService();
                    case 3 -> anyOperator().hearOfClaim();
                    default -> anyOperator().hearOfOthers();
                }
                world.operators.forEach(operator -> operator.loops.happen());
                checkAlways();
            } else if (!loopsAreIdle() && ++looks % LOOKS != 0) {
                world.tick();
                world.operators.forEach(operator -> operator.loops.happen());
            } else {
                Optional<SimulatedOperator> next = world.operators.stream()
                        .filter(operator -> operator.nextTimer().isPresent())
                        .min(Comparator.comparing(
                                operator -> operator.nextTimer().orElseThrow()));
                if (next.isPresent() && !world.clock.isAfter(end)) {
                    next.get().advance();
                } else if (loopsAreIdle()
                        ? lookedAt == world.kinds.revision()
                        : looks > 4 * LOOKS && rules.doOperatorsDisagree()) {
                    return;
                } else {
                    // Each pool is looked at once more after all that happened, and what could not be written is.
                    lookedAt = world.kinds.revision();
                    world.clock = world.clock.plusSeconds(15);
                    world.operators.forEach(operator -> operator.loops.ring());
                }
            }
        }
        rules.check(false, () -> "it does not settle");
    }
}
