// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.AbstractList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.jute.BinaryInputArchive;
import org.apache.jute.BinaryOutputArchive;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.server.quorum.QuorumPacket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Checks that woven packets are written once, and fail like ZooKeeper's own. */
final class WovenPacketTest {
  private static final byte[] DATA = {1, 2, 3};

  @Test
  void serialize_tracedServer_writesTheStampedPacketOnce() throws Exception {
    new WovenLoader().call(WritesOnce.class);
  }

  @Test
  void serialize_streamThatFails_throwsThatAndWritesNothingMore() throws Exception {
    new WovenLoader().call(Fails.class);
  }

  @Test
  void serialize_hookThatFails_writesThePacketAsItIsAndCountsTheError() throws Exception {
    new WovenLoader().call(HookFails.class);
  }

  static final class WritesOnce implements Callable<Void> {
    @Override
    public Void call() throws IOException {
      byte[] plain = written(packet(null));
      WovenRecorder.install();
      byte[] stamped = written(packet(null));
      assertThat(stamped).hasSizeGreaterThan(plain.length + 16);

      ByteArrayInputStream in = new ByteArrayInputStream(stamped);
      QuorumPacket received = new QuorumPacket();
      received.deserialize(BinaryInputArchive.getArchive(in), "packet");
      assertThat(received.getZxid()).isEqualTo(packet(null).getZxid());
      assertThat(received.getData()).isEqualTo(DATA);
      assertThat(received.getAuthinfo()).isNull();
      assertThat(in.available()).isZero();
      return null;
    }
  }

  static final class Fails implements Callable<Void> {
    @Override
    public Void call() throws IOException {
      int plainLength = written(packet(null)).length;
      WovenRecorder.install();
      // The last of these positions are inside the stamp.
      for (int end = 0; end < plainLength + 16; end++) {
        BrokenStream stream = new BrokenStream(end);
        assertThatThrownBy(
                () -> packet(null).serialize(BinaryOutputArchive.getArchive(stream), "packet"))
            .isSameAs(stream.failure);
        assertThat(stream.callsAfterFailure).as("broken after %s bytes", end).isZero();
      }
      assertThat(WovenRecorder.RECORDER.statistics().missed()).isZero();
      return null;
    }
  }

  static final class HookFails implements Callable<Void> {
    @Override
    public Void call() throws IOException {
      byte[] plain = written(packet(new Uncopyable()));
      WovenRecorder.install();
      assertThat(written(packet(new Uncopyable()))).isEqualTo(plain);
      assertThat(WovenRecorder.RECORDER.statistics().missed()).isEqualTo(1);
      return null;
    }
  }

  /** Can be written, but not copied. */
  private static final class Uncopyable extends AbstractList<Id> {
    @Override
    public Id get(int index) {
      return new Id("ip", "127.0.0.1");
    }

    @Override
    public int size() {
      return 1;
    }

    @Override
    public Object[] toArray() {
      throw new AssertionError("not to be copied");
    }
  }

  private static final class BrokenStream extends OutputStream {
    private final IOException failure = new IOException("no space left");
    private final int end;
    private int count;
    private boolean failed;
    private int callsAfterFailure;

    BrokenStream(int end) {
      this.end = end;
    }

    @Override
    public void write(int b) throws IOException {
      if (failed) {
        callsAfterFailure++;
      }
      if (count == end) {
        failed = true;
        throw failure;
      }
      count++;
    }
  }

  private static QuorumPacket packet(@Nullable List<Id> authinfo) {
    return new QuorumPacket(2, 0x100000007L, DATA, authinfo);
  }

  private static byte[] written(QuorumPacket packet) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    packet.serialize(BinaryOutputArchive.getArchive(bytes), "packet");
    return bytes.toByteArray();
  }
}
