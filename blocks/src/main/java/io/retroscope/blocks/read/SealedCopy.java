// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.read;

import io.retroscope.blocks.zone.SealedSummary;
import io.retroscope.event.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** A sealed block that gets only some of the sections of another one. Immutable. */
record SealedCopy(byte[] bytes, String log, SealedSummary zone, List<SealedRun> runs) {
  /** The encoded copy; sections are copied as they are. */
  byte[] with(List<Section> sections) {
    byte[] head = head(sections);
    WireWriter out = new WireWriter();
    out.putBytes(SealedBlockReader.MAGIC.getBytes(StandardCharsets.US_ASCII));
    out.putByte(SealedBlockReader.VERSION);
    out.putVarint(head.length);
    out.putVarint(Section.checksum(head, 0, head.length) & SealedBlockReader.CHECKSUM_MASK);
    out.putBytes(head);
    for (Section section : sections) {
      out.putBytes(Arrays.copyOfRange(bytes, section.start(), section.start() + section.length()));
    }
    return out.toByteArray();
  }

  private byte[] head(List<Section> sections) {
    WireWriter out = new WireWriter();
    out.putText(log);
    zone.write(out);
    out.putVarint(runs.size());
    for (SealedRun run : runs) {
      out.putVarint(run.nodeId());
      out.putText(run.run().incarnation());
      out.putZigzag(run.sequenceBefore());
    }
    out.putVarint(sections.size());
    for (Section section : sections) {
      out.putVarint(section.kind().code());
      if (section.kind().isOfVariable()) {
        out.putVarint(section.variableId());
      }
      out.putVarint(section.length());
      out.putVarint(section.checksum() & SealedBlockReader.CHECKSUM_MASK);
    }
    return out.toByteArray();
  }
}
