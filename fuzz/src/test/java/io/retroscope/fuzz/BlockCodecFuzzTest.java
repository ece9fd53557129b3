// SPDX-License-Identifier: Apache-2.0
package io.retroscope.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Any bytes are refused as corrupt, or are a frame that survives being encoded again. */
class BlockCodecFuzzTest {
  private static final int HEADER_BYTES = 12;
  private static final int MAGIC = 'R' << 24 | 'T' << 16 | 'S' << 8 | 'B';

  /** The frame's header and checksum are right, so that the search is about what they hold. */
  @FuzzTest(maxDuration = "2m")
  void decode_payload_isRefusedOrSurvives(byte[] data) throws CorruptBlockException {
    if (data.length > 0) {
      check(frame(1 + (data[0] & 1), data));
    }
  }

  @FuzzTest(maxDuration = "2m")
  void decode_bytes_areRefusedOrSurvive(byte[] data) throws CorruptBlockException {
    check(data);
  }

  private static void check(byte[] data) throws CorruptBlockException {
    Iterable<BlockFrame> frames;
    try {
      frames = EventBlockCodec.decodeAll(data);
    } catch (CorruptBlockException e) {
      return;
    }
    for (BlockFrame frame : frames) {
      byte[] encoded = EventBlockCodec.encode(frame);
      BlockFrame again = EventBlockCodec.decodeAll(encoded).get(0);
      if (frame instanceof EventBlock block) {
        assertThat(((EventBlock) again).events()).isEqualTo(block.events());
      } else {
        assertThat(again).isEqualTo(frame);
      }
      assertThat(EventBlockCodec.encode(again)).isEqualTo(encoded);
    }
  }

  private static byte[] frame(int type, byte[] data) {
    int payload = data.length - 1;
    ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTES + payload + Integer.BYTES);
    frame.putInt(MAGIC).put((byte) EventBlockCodec.VERSION).put((byte) type).putShort((short) 0);
    frame.putInt(payload).put(data, 1, payload);
    CRC32C checksum = new CRC32C();
    checksum.update(frame.array(), 0, frame.position());
    return frame.putInt((int) checksum.getValue()).array();
  }
}
