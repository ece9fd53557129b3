// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.event.BlockFrame;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bytes in which pieces are sent:
 *
 * <pre>
 *   piece:  number (4 bytes) | count of blocks (4) | per block: length (4), frame
 *   end:    number after the last piece (4) | 0 (4)
 * </pre>
 *
 * <p>A feed without its end is broken. Input is not trusted.
 */
final class PieceFormat {
  /** The media type. */
  static final String MEDIA_TYPE = "application/vnd.retroscope.pieces";

  /** Each block has at least one event, and a piece ends at the first stamp after its events. */
  private static final int MAX_BLOCKS = 1 << 20;

  private static final int MAX_FRAME_BYTES = EventBlockCodec.MAX_PAYLOAD_BYTES + 64;

  private PieceFormat() {}

  /** Writes all pieces of a feed, and its end. */
  static void write(PieceFeed feed, OutputStream to) throws IOException {
    DataOutputStream out = new DataOutputStream(to);
    int number = 1;
    for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
      out.writeInt(piece.number());
      out.writeInt(piece.blocks().size());
      for (EventBlock block : piece.blocks()) {
        byte[] frame = EventBlockCodec.encode(block);
        out.writeInt(frame.length);
        out.write(frame);
      }
      number = piece.number() + 1;
    }
    out.writeInt(number);
    out.writeInt(0);
    out.flush();
  }

  /** A feed of received bytes, which are closed with it. */
  static PieceFeed read(InputStream from) {
    return new Received(new DataInputStream(from));
  }

  private static final class Received implements PieceFeed {
    private final DataInputStream in;
    private int number;
    private boolean ended;
    private long lastHlc = Long.MIN_VALUE;

    Received(DataInputStream in) {
      this.in = in;
    }

    @Override
    public @Nullable Piece next() throws IOException {
      if (ended) {
        return null;
      }
      number++;
      int found = in.readInt();
      int count = in.readInt();
      if (found != number || count < 0 || count > MAX_BLOCKS) {
        throw new IOException(
            "piece %d was expected, but %d with %d blocks came".formatted(number, found, count));
      }
      ended = count == 0;
      return ended ? null : piece(count);
    }

    private Piece piece(int count) throws IOException {
      List<EventBlock> blocks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        blocks.add(block());
      }
      Piece piece = new Piece(number, blocks);
      if (number > 1 && piece.firstHlc() <= lastHlc) {
        throw new IOException("piece %d begins before the previous one ends".formatted(number));
      }
      lastHlc = piece.lastHlc();
      return piece;
    }

    private EventBlock block() throws IOException {
      int length = in.readInt();
      if (length < 1 || length > MAX_FRAME_BYTES) {
        throw new IOException("a block of %d bytes in piece %d".formatted(length, number));
      }
      byte[] frame = in.readNBytes(length);
      if (frame.length < length) {
        throw new EOFException("the connection ended in piece " + number);
      }
      try {
        List<BlockFrame> decoded = EventBlockCodec.decodeAll(frame);
        if (decoded.size() == 1 && decoded.get(0) instanceof EventBlock block && !block.isEmpty()) {
          return block;
        }
      } catch (CorruptBlockException e) {
        throw new IOException("piece %d is damaged: %s".formatted(number, e.getMessage()), e);
      }
      throw new IOException("piece %d has something else than events".formatted(number));
    }

    @Override
    public void close() {
      try {
        in.close();
      } catch (IOException e) {
        // It is not used any more.
      }
    }
  }
}
