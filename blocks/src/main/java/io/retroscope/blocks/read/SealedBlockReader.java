// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.Run;
import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.Event;
import io.retroscope.event.WireReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The reader of sealed blocks.
 *
 * <p>Input is not trusted: damaged and unknown input results in a {@link CorruptBlockException},
 * and takes no more memory than the limits here allow. The format is described in {@code
 * docs/format/sealed-blocks.md}.
 */
public final class SealedBlockReader {
  /*
   *   "RTSD" | version 1 | varint length of head | varint CRC-32C of head | head | sections
   *
   *   head:  log | zone | runs (node id, incarnation, zigzag sequence number before the first)
   *          | directory (kind, variable id if it is of a variable, length, CRC-32C)
   */

  /** The only version of the format so far. */
  public static final int VERSION = 1;

  public static final String MAGIC = "RTSD";
  public static final long CHECKSUM_MASK = 0xFFFFFFFFL;

  private SealedBlockReader() {}

  /**
   * Opens a block. Its sections are checked when they are read.
   *
   * @param bytes must not change afterwards
   * @param names the tables with which it was sealed
   * @throws CorruptBlockException if the head is damaged, or if the bytes are not a sealed block
   */
  public static SealedBlock open(byte[] bytes, StoreNames names) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    for (int i = 0; i < MAGIC.length(); i++) {
      if (in.getByte() != MAGIC.charAt(i)) {
        throw in.corrupt("not a sealed block");
      }
    }
    int version = in.getByte();
    if (version != VERSION) {
      throw in.corrupt("sealed block of version " + version + "; this program reads " + VERSION);
    }
    int length = in.getCount("bytes of a head");
    long checksum = in.getVarint();
    if (length > in.remaining()
        || checksum != (Section.checksum(bytes, in.position(), length) & CHECKSUM_MASK)) {
      throw in.corrupt("the checksum of the head does not match");
    }
    int end = in.position() + length;
    return readHead(new WireReader(bytes, in.position(), end, 0), end, bytes, names);
  }

  private static SealedBlock readHead(WireReader in, int end, byte[] bytes, StoreNames names)
      throws CorruptBlockException {
    String log = in.getText();
    SealedSummary zone = SealedSummary.read(in, names);
    List<SealedRun> runs = readRuns(in, names);
    Map<Section.Key, Section> sections = readDirectory(in, end, bytes.length, names);
    if (in.remaining() > 0) {
      throw in.corrupt(in.remaining() + " bytes too many in the head");
    }
    return new SealedBlock(bytes, names, log, zone, runs, sections);
  }

  private static List<SealedRun> readRuns(WireReader in, StoreNames names)
      throws CorruptBlockException {
    int count = in.getCount("runs");
    List<SealedRun> runs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int node = in.getBounded("id of a node", names.nodes().size() - 1);
      String incarnation = in.getText();
      if (incarnation.length() > Event.MAX_INCARNATION_LENGTH) {
        throw in.corrupt("an incarnation of " + incarnation.length() + " characters");
      }
      runs.add(new SealedRun(node, new Run(names.nodes().name(node), incarnation), in.getZigzag()));
    }
    return runs;
  }

  private static Map<Section.Key, Section> readDirectory(
      WireReader in, int firstStart, int end, StoreNames names) throws CorruptBlockException {
    int count = in.getCount("sections");
    Map<Section.Key, Section> sections = new HashMap<>();
    int start = firstStart;
    for (int i = 0; i < count; i++) {
      Section.Kind kind =
          Section.Kind.ofCode(in.getBounded("kind of section", Section.Kind.count() - 1));
      int variable =
          kind.isOfVariable() ? in.getBounded("id of a variable", names.variables().size() - 1) : 0;
      int length = in.getBounded("length of a section", end - start);
      Section section = new Section(kind, variable, start, length, (int) in.getVarint());
      if (sections.put(section.key(), section) != null) {
        throw in.corrupt("two sections " + section.key());
      }
      start += length;
    }
    if (start != end) {
      throw in.corrupt("sections of " + (start - firstStart) + " bytes, but " + (end - firstStart));
    }
    return sections;
  }
}
