package dev.berth.controller.service;

import java.util.concurrent.CountDownLatch;

/** How a call of a provider waits that ignores interrupts. */
final class Uninterruptible {
    private Uninterruptible() {}

    static void await(CountDownLatch latch) {
        boolean isOpen = false;
        while (!isOpen) {
            try {
                latch.await();
                isOpen = true;
            } catch (InterruptedException ignored) {
                isOpen = latch.getCount() == 0;
            }
        }
    }
}
