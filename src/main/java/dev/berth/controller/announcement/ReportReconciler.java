package dev.berth.controller.announcement;

import dev.berth.api.v1alpha1.AgentReport;
import dev.berth.controller.PrimaryCache;
import dev.berth.controller.Wakeups;
import dev.berth.kube.Caches;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.util.List;

/** Hands the operator SDK's events to {@link AnnouncementControl}. */
public final class ReportReconciler implements Reconciler<AgentReport> {
    private final Caches caches;
    private final AnnouncementControl control;
    private final Wakeups<AgentReport> wakeups;

    public ReportReconciler(Caches caches, AnnouncementControl control, Wakeups<AgentReport> wakeups) {
        this.caches = caches;
        this.control = control;
        this.wakeups = wakeups;
    }

    @Override
    public List<EventSource<?, AgentReport>> prepareEventSources(EventSourceContext<AgentReport> context) {
        caches.agentReports(new PrimaryCache<>(context.getPrimaryCache()));
        return List.of(wakeups);
    }

    @Override
    public UpdateControl<AgentReport> reconcile(AgentReport report, Context<AgentReport> context) {
        return wakeups.answer(
                report, context, control.reconcile(report.getMetadata().getName()));
    }
}
