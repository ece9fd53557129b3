// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.jgroups;

import io.retroscope.context.HlcContext;
import io.retroscope.recorder.Ingress;
import io.retroscope.recorder.Recorder;
import java.util.Optional;
import org.jgroups.Header;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;
import org.jspecify.annotations.Nullable;

/**
 * A JGroups protocol, to be placed immediately above the transport, that adds the stamp of its send
 * event to every message of the cluster, and records a receive event for every message with a stamp
 * before the protocols above it see the message. Thread-safe, like every protocol.
 *
 * <p>Every message has it: those of the application, and also heartbeats, acknowledgements and
 * views. Each costs one stamp, one event and 13 bytes at each end, in the thread that sends or
 * receives it, and waits for nothing; recording does not throw. {@code RETROSCOPE_MESSAGES=off}
 * leaves out the events.
 *
 * <p>HAZARD: JGroups drops a message with a header that it does not know. All members of a cluster
 * need the protocol, so a running cluster cannot get it member by member.
 */
public final class HlcProtocol extends Protocol {
  /** The numbers in JGroups' range for protocols and headers of others. */
  static final short ID = 5_340;

  static {
    ClassConfigurator.addProtocol(ID, HlcProtocol.class);
    ClassConfigurator.add(ID, HlcHeader.class);
  }

  private final Optional<Recorder> given;
  private @Nullable Recorder recorder;
  private @Nullable Ingress ingress;

  /** A protocol with the process's shared recorder, for configurations in XML. */
  public HlcProtocol() {
    this.given = Optional.empty();
  }

  /** A protocol with this recorder. */
  public HlcProtocol(Recorder recorder) {
    this.given = Optional.of(recorder);
  }

  /** Takes the recorder; members of the cluster are trusted, whatever the edge's setting. */
  @Override
  public void init() throws Exception {
    super.init();
    Recorder found = given.orElseGet(Recorder::shared);
    recorder = found;
    ingress = found.ingress(true);
  }

  /** Sends a message with a stamp; a repeated transmission gets a new one. */
  @Override
  public @Nullable Object down(Message message) {
    Recorder source = recorder;
    if (source != null) {
      message.putHeader(ID, new HlcHeader(HlcContext.toBytes(source.send(""))));
    }
    return down_prot.down(message);
  }

  @Override
  public @Nullable Object up(Message message) {
    receive(message);
    return up_prot.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    batch.forEach(this::receive);
    up_prot.up(batch);
  }

  private void receive(Message message) {
    Ingress entrance = ingress;
    Header header = message.getHeader(ID);
    if (entrance != null && header instanceof HlcHeader stamped) {
      HlcContext.fromBytes(stamped.stamp()).ifPresent(entrance::receive);
    }
  }
}
