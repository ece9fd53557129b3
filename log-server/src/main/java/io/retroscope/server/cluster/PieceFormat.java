// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.blocks.NameTable;
import io.retroscope.blocks.StoreNames;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.rql.cut.Interest;
import io.retroscope.server.cluster.PartView.Scan;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The bytes in which pieces are sent:
 *
 * <pre>
 *   piece:  number (4 bytes) | count of blocks (4) | first stamp (8) | last stamp (8) | blocks
 *   block:  0 | length (4) | frame
 *           1 | names of nodes | names of variables | length (4) | sealed block
 *   names:  count (4) | each as UTF: those that were not sent before, in the order of their ids
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

  /** Far above what the largest events make of the largest number of rows. */
  private static final int MAX_SEALED_BYTES = 1 << 29;

  private static final int FRAME = 0;
  private static final int SEALED = 1;

  private static final Interest ANY = Selection.all(Set.of());

  private PieceFormat() {}

  /** Writes all pieces of a feed, and its end. */
  static void write(PieceFeed feed, OutputStream to) throws IOException {
    Sending sending = new Sending(new DataOutputStream(to));
    int number = 1;
    for (Piece piece = feed.next(); piece != null; piece = feed.next()) {
      sending.send(piece);
      number = piece.number() + 1;
    }
    sending.end(number);
  }

  /** Pieces on their way to another server. */
  private static final class Sending {
    private final DataOutputStream out;
    private int sentNodes;
    private int sentVariables;

    Sending(DataOutputStream out) {
      this.out = out;
    }

    void send(Piece piece) throws IOException {
      out.writeInt(piece.number());
      out.writeInt(piece.blocks().size());
      out.writeLong(piece.firstHlc());
      out.writeLong(piece.lastHlc());
      for (PieceBlock block : piece.blocks()) {
        if (block instanceof PieceBlock.Sealed sealed) {
          out.writeByte(SEALED);
          sentNodes = send(sealed.names().nodes(), sentNodes);
          sentVariables = send(sealed.names().variables(), sentVariables);
          send(sealed.bytes());
        } else {
          out.writeByte(FRAME);
          send(frame(block));
        }
      }
    }

    private static byte[] frame(PieceBlock block) throws CorruptBlockException {
      return block instanceof PieceBlock.Frame frame
          ? frame.bytes()
          : EventBlockCodec.encode(block.rows(ANY));
    }

    private void send(byte[] bytes) throws IOException {
      out.writeInt(bytes.length);
      out.write(bytes);
    }

    private int send(NameTable table, int from) throws IOException {
      int size = table.size();
      out.writeInt(size - from);
      for (int id = from; id < size; id++) {
        out.writeUTF(table.name(id));
      }
      return size;
    }

    void end(int number) throws IOException {
      out.writeInt(number);
      out.writeInt(0);
      out.flush();
    }
  }

  /**
   * A feed of received bytes, which are closed with it.
   *
   * @param scan the one that is answered
   */
  static PieceFeed read(InputStream from, Scan scan) {
    return new Received(new DataInputStream(new BufferedInputStream(from)), scan);
  }

  private static final class Received implements PieceFeed {
    private final DataInputStream in;
    private final Scan scan;
    private final StoreNames names = new StoreNames();
    private int number;
    private boolean ended;
    private long lastHlc = Long.MIN_VALUE;

    Received(DataInputStream in, Scan scan) {
      this.in = in;
      this.scan = scan;
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
      long first = in.readLong();
      long last = in.readLong();
      if (first > last || (number > 1 && first <= lastHlc)) {
        throw new IOException("piece %d begins before the previous one ends".formatted(number));
      }
      List<PieceBlock> blocks = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        EventBlock block = decoded(block());
        if (!block.isEmpty() && isOfAnother(block, first, last)) {
          throw new IOException("piece %d has events of another one".formatted(number));
        }
        blocks.add(new PieceBlock.Decoded(block));
      }
      lastHlc = last;
      return new Piece(number, first, last, blocks);
    }

    /** Whether a block has events of the scan that are before or after its piece. */
    private boolean isOfAnother(EventBlock block, long first, long last) {
      boolean isCutFirst = scan.mayReachBeyond() && first == scan.range().from();
      boolean isCutLast = scan.mayReachBeyond() && last == scan.range().to();
      return (block.firstHlc() < first && !isCutFirst) || (block.lastHlc() > last && !isCutLast);
    }

    private PieceBlock block() throws IOException {
      int kind = in.readByte();
      if (kind == FRAME) {
        return new PieceBlock.Frame(bytes(MAX_FRAME_BYTES));
      }
      if (kind != SEALED) {
        throw new IOException("a block of kind %d in piece %d".formatted(kind, number));
      }
      addNames(names.nodes());
      addNames(names.variables());
      return new PieceBlock.Sealed(bytes(MAX_SEALED_BYTES), names);
    }

    private void addNames(NameTable table) throws IOException {
      int count = in.readInt();
      for (int i = 0; i < count; i++) {
        int id = table.size();
        if (table.idOf(in.readUTF()) != id) {
          throw new IOException("a name is sent twice, in piece " + number);
        }
      }
    }

    private byte[] bytes(int most) throws IOException {
      int length = in.readInt();
      if (length < 1 || length > most) {
        throw new IOException("a block of %d bytes in piece %d".formatted(length, number));
      }
      byte[] bytes = in.readNBytes(length);
      if (bytes.length < length) {
        throw new EOFException("the connection ended in piece " + number);
      }
      return bytes;
    }

    /** Damage must be found as long as the piece can be had from another server. */
    private EventBlock decoded(PieceBlock block) throws IOException {
      try {
        return block.rows(scan.selection());
      } catch (CorruptBlockException e) {
        throw new IOException("piece %d is damaged: %s".formatted(number, e.getMessage()), e);
      }
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
