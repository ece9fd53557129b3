// SPDX-License-Identifier: Apache-2.0
package io.retroscope.blocks.timeline;

import io.retroscope.blocks.StoreNames;
import io.retroscope.blocks.timeline.TimelineBins.Lane;
import io.retroscope.blocks.timeline.TimelineBins.Limits;
import io.retroscope.blocks.timeline.TimelineVariable.Extremes;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.CorruptBlockException;
import io.retroscope.event.WireReader;
import java.util.ArrayList;
import java.util.List;

/** The reading of {@link TimelineBins} in the form that {@link TimelineCodec} describes. */
final class TimelineDecoder {
  private TimelineDecoder() {}

  static TimelineBins decode(byte[] bytes, StoreNames names) throws CorruptBlockException {
    WireReader in = new WireReader(bytes, 0, bytes.length, 0);
    if (in.getByte() != TimelineCodec.VERSION) {
      throw in.corrupt("bins of an unknown version");
    }
    TimelineBins bins = empty(in.getBounded("level", TimelineBins.MAX_LEVEL), in);
    int size = bins.size();
    int nodeCount = in.getBounded("number of nodes", names.nodes().size());
    List<String> nodes = new ArrayList<>();
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(names.nodes().name(in.getBounded("id of a node", names.nodes().size() - 1)));
      read(bins.lane(nodes.get(i)), size, in);
    }
    List<String> variables = new ArrayList<>();
    for (int i = in.getBounded("number of variables", TimelineCodec.MAX_VARIABLES); i > 0; i--) {
      int id = in.getBounded("id of a variable", names.variables().size() - 1);
      variables.add(names.variables().name(id));
      TimelineVariable variable = bins.variable(names.variables().name(id));
      int node = in.getBounded("index of a node", nodes.size());
      read(node == 0 ? variable.others() : variable.node(nodes.get(node - 1)), bins, in);
    }
    readMessages(bins, in);
    readApart(bins, nodes, variables, in);
    return bins;
  }

  /** Bins of a level without content, whose place and number are read. */
  static TimelineBins empty(int level, WireReader in) throws CorruptBlockException {
    long firstBin = in.getVarint();
    int size = in.getBounded("number of bins", TimelineBins.MAX_SIZE);
    long lastBin = HlcTimestamp.MAX_MICROS >>> level;
    if (size == 0 || firstBin < 0 || firstBin > lastBin - (size - 1)) {
      throw in.corrupt(size + " bins from bin " + firstBin);
    }
    return new TimelineBins(level, firstBin, size, Limits.NONE);
  }

  static void readMessages(TimelineBins bins, WireReader in) throws CorruptBlockException {
    getBins(bins.size(), in, (bin, first) -> bins.slowest[bin] = first - 1);
    getBins(bins.size(), in, (bin, first) -> bins.unmatched[bin] = first);
  }

  private static void readApart(
      TimelineBins bins, List<String> nodes, List<String> variables, WireReader in)
      throws CorruptBlockException {
    int count = in.getBounded("number of variables with nodes", variables.size());
    if (count == 0) {
      return;
    }
    int level = in.getBounded("level of nodes", TimelineBins.MAX_LEVEL);
    if (level < bins.level()) {
      throw in.corrupt("nodes at level " + level + " below " + bins.level());
    }
    int steps = level - bins.level();
    long firstBin = bins.firstBin() >>> steps;
    long lastBin = (bins.firstBin() + bins.size() - 1) >>> steps;
    TimelineBins apart =
        new TimelineBins(level, firstBin, (int) (lastBin - firstBin) + 1, Limits.NONE);
    for (int i = 0; i < count; i++) {
      int index = in.getBounded("index of a variable", variables.size() - 1);
      TimelineVariable variable = apart.variable(variables.get(index));
      for (int j = in.getBounded("number of a variable's nodes", nodes.size()); j > 0; j--) {
        int node = in.getBounded("index of a node", nodes.size() - 1);
        read(variable.node(nodes.get(node)), apart, in);
      }
    }
    bins.tellApart(apart);
  }

  static void read(Lane lane, int size, WireReader in) throws CorruptBlockException {
    int kinds =
        in.getBounded("kinds", TimelineCodec.SENDS | TimelineCodec.RECEIVES | TimelineCodec.LINES);
    getBins(
        size,
        in,
        (bin, events) -> {
          lane.events[bin] = events;
          lane.sends[bin] = (kinds & TimelineCodec.SENDS) == 0 ? 0 : in.getVarint();
          lane.receives[bin] = (kinds & TimelineCodec.RECEIVES) == 0 ? 0 : in.getVarint();
          lane.lines[bin] = (kinds & TimelineCodec.LINES) == 0 ? 0 : in.getVarint();
        });
  }

  static void read(Extremes extremes, TimelineBins bins, WireReader in)
      throws CorruptBlockException {
    long[] before = {0};
    getBins(
        bins.size(),
        in,
        (bin, writes) -> {
          long min = before[0] + in.getZigzag();
          before[0] = min;
          long max = writes > 1 ? min + in.getVarint() : min;
          long last = writes > 1 ? min + in.getVarint() : min;
          long stamp = in.getVarint();
          long logical = (stamp & 1) == 0 ? 0 : in.getVarint();
          long hlc =
              TimelineCodec.beginOf(bins, bin)
                  + (stamp >>> 1 << HlcTimestamp.LOGICAL_BITS)
                  + logical;
          extremes.add(bin, writes, min, max, last, hlc);
        });
  }

  /** A reader of the further numbers of a bin that is not empty. */
  private interface BinReader {
    void read(int bin, long first) throws CorruptBlockException;
  }

  private static void getBins(int size, WireReader in, BinReader reader)
      throws CorruptBlockException {
    for (int bin = 0; bin < size; bin++) {
      long first = in.getVarint();
      if (first == 0) {
        bin += in.getBounded("number of empty bins", size - bin - 1);
      } else {
        reader.read(bin, first);
      }
    }
  }
}
