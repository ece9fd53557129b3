// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.json.IncompletenessJson;
import io.retroscope.server.kafka.Directive;
import io.retroscope.server.kafka.EventTopic;
import io.retroscope.server.store.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The directives of what lines of events state about missing events: losses go to the partition of
 * their node, and other reasons to the first one, where each can take the place of another.
 */
final class StatedLines {
  /** Far below the largest record, of which one text is a small part. */
  private static final int MAX_TEXT = 1 << 20;

  private static final int MAX_GAPS = 1_000;

  private StatedLines() {}

  /** The directives by their partitions, in the order of the lines; empty if nothing is missing. */
  static Map<Integer, List<Directive.Stated>> directives(
      Submission.Lines lines, int partitionCount) {
    Map<Integer, List<Gap>> gaps = new TreeMap<>();
    for (Gap gap : lines.gaps()) {
      int partition = EventTopic.partition(gap.node(), partitionCount);
      gaps.computeIfAbsent(partition, number -> new ArrayList<>()).add(gap);
    }
    Map<Integer, List<Directive.Stated>> directives = new TreeMap<>();
    gaps.forEach((partition, own) -> directives.put(partition, ofGaps(own)));
    if (!lines.reasons().isEmpty()) {
      directives.computeIfAbsent(0, number -> new ArrayList<>()).addAll(ofReasons(lines.reasons()));
    }
    return directives;
  }

  private static List<Directive.Stated> ofGaps(List<Gap> gaps) {
    List<Directive.Stated> directives = new ArrayList<>();
    for (int from = 0; from < gaps.size(); from += MAX_GAPS) {
      int to = Math.min(gaps.size(), from + MAX_GAPS);
      directives.add(new Directive.Stated(gaps.subList(from, to), List.of()));
    }
    return directives;
  }

  private static List<Directive.Stated> ofReasons(List<Incompleteness> reasons) {
    List<Directive.Stated> directives = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    int length = 0;
    for (Incompleteness reason : reasons) {
      String text = IncompletenessJson.text(reason);
      if (length > 0 && length + text.length() > MAX_TEXT) {
        directives.add(new Directive.Stated(List.of(), texts));
        texts.clear();
        length = 0;
      }
      texts.add(text);
      length += text.length();
    }
    directives.add(new Directive.Stated(List.of(), texts));
    return directives;
  }
}
