// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jgroups;

import io.retroscope.recorder.Recorder;
import org.jgroups.JChannel;
import org.jgroups.protocols.TCP;
import org.jgroups.protocols.TCPPING;
import org.jgroups.protocols.TP;
import org.jgroups.protocols.pbcast.NAKACK2;
import org.jgroups.stack.ProtocolStack.Position;

/** The code of the module's README, which a test looks up here. */
final class ReadmeSample {
  private ReadmeSample() {}

  static JChannel channel(Recorder recorder) throws Exception {
    return new JChannel(new TCP(), new HlcProtocol(recorder), new TCPPING(), new NAKACK2());
  }

  static void insert(JChannel channel, Recorder recorder) throws Exception {
    channel.getProtocolStack().insertProtocol(new HlcProtocol(recorder), Position.ABOVE, TP.class);
  }
}
