// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.sealed;

import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.read.SealedBlock;
import io.retroscope.blocks.sealed.SealedFileFormat.Kind;
import io.retroscope.blocks.timeline.TimelineCodec;
import io.retroscope.blocks.zone.LongZone;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventKind;
import io.retroscope.event.WireWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A writer of one {@link SealedFile}, from its first byte to its last. Used by one thread.
 *
 * <p>A file that is closed without {@link #finish} is readable, too: its reader then looks at each
 * frame.
 */
public final class SealedFileWriter implements Closeable {
  /** With fewer writes per node, a zone would take too much space beside its block. */
  private static final int MIN_ZONE_WRITES = 8;

  private final FileChannel channel;
  private final StoreNames names;
  private final List<SealedFile.Entry> entries = new ArrayList<>();
  private int writtenNodes;
  private int writtenVariables;
  private long position;

  private SealedFileWriter(FileChannel channel, StoreNames names) {
    this.channel = channel;
    this.names = names;
  }

  /**
   * Creates a file, in which blocks refer to names by new tables.
   *
   * @throws IOException if it exists already or cannot be written
   */
  public static SealedFileWriter create(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), ownersOnly());
    SealedFileWriter writer = new SealedFileWriter(channel, new StoreNames());
    writer.write(ByteBuffer.wrap(SealedFileFormat.header()));
    return writer;
  }

  /** Events may be confidential, so that only the owner can read the file. */
  private static FileAttribute<?>[] ownersOnly() {
    return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
        }
        : new FileAttribute<?>[0];
  }

  /** The tables with which blocks for this file are sealed. */
  public StoreNames names() {
    return names;
  }

  /** The blocks so far. */
  public List<SealedFile.Entry> entries() {
    return List.copyOf(entries);
  }

  /** Appends a block that was sealed with the {@link #names}. */
  public void add(SealedBlock block) throws IOException {
    addNames();
    long at = position;
    writeFrame(Kind.BLOCK, block.bytes());
    entries.add(new SealedFile.Entry(at, block.bytes().length, block.log(), block.zone()));
    EventBlock rows = block.rowsForCounts();
    addZone(block.zone(), rows);
    writeFrame(Kind.TIMELINE, TimelineCodec.encode(rows, block.log(), names));
  }

  private void addZone(SealedSummary zone, EventBlock rows) throws IOException {
    if (!zone.holdsOnly(EventKind.STATE_CHANGE)) {
      return;
    }
    Optional<LongZone> longs = LongZone.of(rows, MIN_ZONE_WRITES);
    if (longs.isPresent()) {
      WireWriter out = new WireWriter();
      List<String> written = SealedFileFormat.written(zone, names);
      longs.get().write(out, zone.firstHlc(), written, names.nodes());
      writeFrame(Kind.ZONE, out.toByteArray());
    }
  }

  private void addNames() throws IOException {
    int nodes = names.nodes().size();
    int variables = names.variables().size();
    if (nodes == writtenNodes && variables == writtenVariables) {
      return;
    }
    WireWriter out = new WireWriter();
    SealedFileFormat.putNames(names.nodes(), writtenNodes, out);
    SealedFileFormat.putNames(names.variables(), writtenVariables, out);
    writeFrame(Kind.NAMES, out.toByteArray());
    writtenNodes = nodes;
    writtenVariables = variables;
  }

  /**
   * Completes the file; nothing may be added afterwards.
   *
   * @param summary returned by {@link SealedFile#summary}; its content is the caller's business
   */
  public void finish(byte[] summary) throws IOException {
    writeFrame(Kind.SUMMARY, summary);
    long at = position;
    WireWriter index = new WireWriter();
    SealedFileFormat.putNames(names.nodes(), 0, index);
    SealedFileFormat.putNames(names.variables(), 0, index);
    index.putLong(at - SealedFileFormat.FRAME_HEAD_BYTES - summary.length);
    index.putVarint(entries.size());
    for (SealedFile.Entry entry : entries) {
      index.putLong(entry.position());
      index.putVarint(entry.length());
      index.putText(entry.log());
      entry.zone().write(index);
    }
    writeFrame(Kind.INDEX, index.toByteArray());
    writeFrame(Kind.END, ByteBuffer.allocate(Long.BYTES).putLong(at).array());
    channel.force(false);
  }

  private void writeFrame(Kind kind, byte[] content) throws IOException {
    write(SealedFileFormat.frame(kind, content));
  }

  private void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      position += channel.write(bytes);
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
