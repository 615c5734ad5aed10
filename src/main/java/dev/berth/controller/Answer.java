package dev.berth.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;

/** A {@link Next} as the operator SDK understands it. */
public final class Answer {
    private Answer() {}

    /** Nothing is for the SDK to write: the control loops write themselves. */
    public static <T extends HasMetadata> UpdateControl<T> of(Next next) {
        UpdateControl<T> answer = UpdateControl.noUpdate();
        next.delay().ifPresent(answer::rescheduleAfter);
        return answer;
    }
}
