// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import org.jspecify.annotations.Nullable;

/**
 * The process-wide registrations of a recorder: its JMX bean, its shutdown hook, its checkpoint
 * handler.
 */
final class ProcessTies {
  private final Recorder recorder;
  private final Runnable unpublish;

  /** Kept here because the API may hold it weakly. */
  @SuppressWarnings("unused")
  private final @Nullable Object checkpointHandler;

  private volatile @Nullable ShutdownHook hook;

  ProcessTies(Recorder recorder, RecorderPlan plan) {
    this.recorder = recorder;
    unpublish = plan.jmx() ? publish(recorder) : () -> {};
    checkpointHandler = plan.isSilent() ? null : Checkpoints.register(recorder);
  }

  private static Runnable publish(Recorder recorder) {
    try {
      return RecorderBean.register(recorder);
    } catch (LinkageError e) {
      return () -> {}; // The JVM lacks the module java.management.
    }
  }

  void add(ShutdownHook hook) {
    this.hook = hook;
    hook.watch(recorder);
  }

  /** Removes all registrations that would keep the recorder's classes in memory. */
  void release() {
    unpublish.run();
    SharedRecorder.forget(recorder);
    ShutdownHook known = hook;
    if (known != null) {
      known.remove();
    }
  }
}
