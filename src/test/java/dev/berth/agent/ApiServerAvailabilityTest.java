package dev.berth.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.berth.announce.ApiContact;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What agents say of the API server, each by the answers it had. */
class ApiServerAvailabilityTest {
    private static final long STEP = 10;

    /** One that asks again and again, as slowly as it may. */
    private static final class Asking {
        private final ApiServerAvailability answers = new ApiServerAvailability(0);
        private long next;
        private long ends = -1;
        private boolean fails;

        Asking(long first) {
            next = first;
        }

        /** What it says after this millisecond, in which the server is up or not. */
        ApiContact pass(long now, boolean isUp) {
            if (ends < 0 && now >= next) {
                fails = !isUp;
                ends = isUp ? now : now + ApiServerAvailability.TIMEOUT;
            }
            if (ends >= 0 && now >= ends) {
                if (fails) {
                    answers.failed();
                } else {
                    answers.answered(now);
                }
                ends = -1;
                next = now + ApiServerAvailability.ASK_AGAIN;
            }
            return answers.at(now);
        }
    }

    static Stream<Long> seeds() {
        return LongStream.range(0, 30).boxed();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void outageForAll_hasNoMomentAtWhichOneIsReliable_andAnotherHasLostTheServer(long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        List<Asking> agents = new ArrayList<>();
        for (int agent = 0; agent < 20; agent++) {
            agents.add(new Asking(1 + random.nextLong(ApiServerAvailability.ASK_AGAIN)));
        }
        long begins = 60_000 + STEP * random.nextLong(1_000);
        long ends = begins + random.nextLong(120_000);
        Set<ApiContact> before = EnumSet.noneOf(ApiContact.class);
        Set<ApiContact> heard = EnumSet.noneOf(ApiContact.class);
        for (long now = 0; now < ends + 60_000; now += STEP) {
            heard.clear();
            for (Asking agent : agents) {
                heard.add(agent.pass(now, now < begins || now >= ends));
            }
            assertThat(heard.contains(ApiContact.RELIABLE) && heard.contains(ApiContact.LOST))
                    .as("at %d of an outage from %d to %d", now, begins, ends)
                    .isFalse();
            if (now == begins - STEP) {
                before.addAll(heard);
            }
        }
        assertThat(before).containsExactly(ApiContact.RELIABLE);
        assertThat(heard).containsExactly(ApiContact.RELIABLE);
    }

    @Test
    void serverThatAnswersNowAndThen_isNotReliable() {
        ApiServerAvailability answers = new ApiServerAvailability(0);
        assertThat(answers.at(0)).isEqualTo(ApiContact.LOST);
        for (long now = 1_000; now < 100_000; now += 5_000) {
            answers.answered(now);
            if (now % 15_000 == 1_000) {
                answers.failed();
            }
            assertThat(answers.at(now)).isEqualTo(ApiContact.UNSURE);
        }
    }

    @Test
    void answerAfterAFailure_orTheFirst_isTheOneThatBringsTheServerBack() {
        ApiServerAvailability answers = new ApiServerAvailability(0);
        assertThat(answers.answered(1_000)).isTrue();
        assertThat(answers.answered(6_000)).isFalse();
        answers.failed();
        answers.failed();
        assertThat(answers.answered(21_000)).isTrue();
        assertThat(answers.answered(26_000)).isFalse();
    }

    @Test
    void questionThatNeverEnds_isAnAnswerThatDoesNotCome() {
        ApiServerAvailability answers = new ApiServerAvailability(0);
        for (long now = 1_000; now <= 31_000; now += 5_000) {
            answers.answered(now);
        }
        assertThat(answers.at(31_000)).isEqualTo(ApiContact.RELIABLE);
        assertThat(answers.at(42_000)).isEqualTo(ApiContact.UNSURE);
        assertThat(answers.at(51_000)).isEqualTo(ApiContact.LOST);
    }
}
