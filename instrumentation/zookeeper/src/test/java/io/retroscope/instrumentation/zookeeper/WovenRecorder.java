// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;

/** The recorder of a {@link WovenLoader}. */
final class WovenRecorder {
  static final MemorySink SINK = new MemorySink();
  static final Recorder RECORDER = Recorder.builder().node("zk1").sink(SINK).build();
  static final Untraced UNTRACED = new Untraced(RECORDER);

  private WovenRecorder() {}

  /** Enables recording by the woven code, as the agent does at the start of the process. */
  static void install() {
    SuppressedErrors.install(RECORDER);
    ServingWatch watch = new ServingWatch(RECORDER, () -> 0);
    ServerHooks.install(new ServerTrace(TracedZnodes.parse("/"), RECORDER, watch));
  }
}
