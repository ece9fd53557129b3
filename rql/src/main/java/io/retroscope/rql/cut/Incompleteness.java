// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.cut;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.rql.cut.Completeness.Scope;
import io.retroscope.rql.cut.EventSource.Gap;
import io.retroscope.rql.cut.EventSource.Overlap;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A reason why an answer that is right about the known events may still differ from the truth.
 * Immutable.
 *
 * <p>Sources report reasons, and every consumer of an answer treats each kind: {@link Bearing} for
 * verdicts, a warning elsewhere. The page {@code reference.md} has the table.
 */
public sealed interface Incompleteness {
  /** A sentence for users: the unknown events, of which nodes, and when. */
  String sentence();

  /** The name of the kind in JSON. */
  String kind();

  /** The unknown stamps. */
  HlcRange range();

  /** Whether later cuts may also differ from the truth, because an event may have set a state. */
  default boolean lasts() {
    return true;
  }

  /** The nodes whose events are concerned; empty if they are not known, so that any may be. */
  default Set<String> nodes() {
    return Set.of();
  }

  /**
   * The same about the events of an input that has become a part of a larger source; unchanged if
   * it says already which events it concerns.
   */
  default Incompleteness within(Extent input) {
    return this;
  }

  /** Whether it concerns the events that a query reads. */
  default boolean concerns(Scope scope) {
    return (nodes().isEmpty() || nodes().stream().anyMatch(scope.counts()))
        && range().overlaps(lasts() ? scope.known() : scope.range());
  }

  /** Calls the visitor's method for this kind, and returns its result. */
  <R> R accept(Visitor<R> visitor);

  /**
   * The events that a reason concerns.
   *
   * @param nodes their nodes; empty for any
   * @param range of their stamps
   */
  record Extent(Set<String> nodes, HlcRange range) {
    /** Any event. */
    public static final Extent ALL = new Extent(Set.of(), HlcRange.ALL);

    /** More nodes are not listed: any may be concerned then. */
    private static final int MAX_NODES = 1_000;

    /** Copies the nodes. */
    public Extent {
      nodes = nodes.size() > MAX_NODES ? Set.of() : Set.copyOf(nodes);
    }

    /** Also what may follow: the rest of an input, or the state that it would have set. */
    Extent onwards() {
      return new Extent(nodes, new HlcRange(range.from(), HlcTimestamp.MAX_PACKED));
    }

    boolean concerns(Scope scope) {
      return (nodes.isEmpty() || nodes.stream().anyMatch(scope.counts()))
          && range.overlaps(scope.known());
    }
  }

  /**
   * An operation with one method for each kind, so that the compiler names every consumer of a new
   * one.
   *
   * @param <R> the type of the result
   */
  interface Visitor<R> {
    R lost(Lost lost);

    R missingBlocks(MissingBlocks missing);

    R silent(Silent silent);

    R unsent(Unsent unsent);

    R quarantined(Quarantined quarantined);

    R damaged(Damaged damaged);

    R removed(Removed removed);

    R forgotten(Forgotten forgotten);

    R cutOff(CutOff cutOff);

    R reported(Reported reported);

    R remarked(Remarked remarked);

    R part(Part part);

    R overlapping(Overlapping overlapping);

    R beforeHistory(BeforeHistory before);

    R afterEnd(AfterEnd after);

    R derived(Derived derived);

    R ahead(Ahead ahead);

    R contradicting(Contradicting contradicting);
  }

  /** Events that will never arrive: declared by a sender, or missing in the sequence numbers. */
  record Lost(Gap gap) implements Incompleteness {
    @Override
    public String sentence() {
      return "events of node %s are lost between %s and %s"
          .formatted(gap.node(), iso(gap.range().from()), iso(gap.range().to()));
    }

    @Override
    public String kind() {
      return "lost";
    }

    @Override
    public HlcRange range() {
      return gap.range();
    }

    @Override
    public Set<String> nodes() {
      return Set.of(gap.node());
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.lost(this);
    }
  }

  /**
   * Numbered blocks of a node that have not arrived, and may still do so.
   *
   * @param fromHlc packed, up to which the node's events are complete
   * @param blockCount the number of blocks, at least 1
   */
  record MissingBlocks(String node, long fromHlc, long blockCount) implements Incompleteness {
    @Override
    public String sentence() {
      return "%,d %s of node %s after %s %s not arrived"
          .formatted(
              blockCount,
              blockCount == 1 ? "block" : "blocks",
              node,
              iso(fromHlc),
              blockCount == 1 ? "has" : "have");
    }

    @Override
    public String kind() {
      return "missing";
    }

    @Override
    public HlcRange range() {
      return new HlcRange(fromHlc, HlcTimestamp.MAX_PACKED);
    }

    @Override
    public Set<String> nodes() {
      return Set.of(node);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.missingBlocks(this);
    }
  }

  /**
   * A node that is silent without having stopped: what it has recorded since may still arrive.
   *
   * @param sinceHlc packed, up to which its events are complete
   */
  record Silent(String node, long sinceHlc) implements Incompleteness {
    @Override
    public String sentence() {
      return "node %s is silent since %s without having stopped".formatted(node, iso(sinceHlc));
    }

    @Override
    public String kind() {
      return "silent";
    }

    @Override
    public HlcRange range() {
      return new HlcRange(sinceHlc, HlcTimestamp.MAX_PACKED);
    }

    @Override
    public Set<String> nodes() {
      return Set.of(node);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.silent(this);
    }
  }

  /**
   * The end of a run without a stop, after which the node started again: what the run had recorded
   * and not sent is lost, if there was anything.
   *
   * @param range from the last known event of the run to the next start
   */
  record Unsent(String node, HlcRange range) implements Incompleteness {
    @Override
    public String sentence() {
      return "a run of node %s ended without a stop after %s: what it had not sent is lost"
          .formatted(node, iso(range.from()));
    }

    @Override
    public String kind() {
      return "unsent";
    }

    @Override
    public boolean lasts() {
      return false;
    }

    @Override
    public Set<String> nodes() {
      return Set.of(node);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.unsent(this);
    }
  }

  /**
   * Events that are kept apart because their stamps were too far in the future.
   *
   * @param range of the stamps at which they may have happened
   * @param firstHlc packed, the lowest of their own stamps
   * @param lasts whether the range is that of their own stamps, which history has reached: they
   *     would have set the state there
   */
  record Quarantined(String node, long eventCount, HlcRange range, long firstHlc, boolean lasts)
      implements Incompleteness {
    /** Both, which are of one node. */
    public Quarantined and(Quarantined other) {
      return new Quarantined(
          node,
          eventCount + other.eventCount,
          new HlcRange(
              Math.min(range.from(), other.range.from()), Math.max(range.to(), other.range.to())),
          Math.min(firstHlc, other.firstHlc),
          lasts || other.lasts);
    }

    @Override
    public String sentence() {
      boolean one = eventCount == 1;
      return "%d %s of %s %s in quarantine%s from %s: \"quarantine release\" stores %s"
          .formatted(
              eventCount,
              one ? "event" : "events",
              node,
              one ? "is" : "are",
              one ? "," : ", the first",
              new HlcTimestamp(firstHlc),
              one ? "it" : "them");
    }

    @Override
    public Set<String> nodes() {
      return Set.of(node);
    }

    @Override
    public String kind() {
      return "quarantined";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.quarantined(this);
    }
  }

  /** Stored data that cannot be read. */
  record Damaged(HlcRange range, String sentence) implements Incompleteness {
    @Override
    public String kind() {
      return "damaged";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.damaged(this);
    }
  }

  /**
   * The events that retention has removed.
   *
   * @param hlc packed, the highest of their stamps
   */
  record Removed(long hlc) implements Incompleteness {
    @Override
    public String sentence() {
      return "history begins at %s: retention has removed earlier events, and the values that they set are not known"
          .formatted(new HlcTimestamp(hlc));
    }

    @Override
    public String kind() {
      return "removed";
    }

    /** Also later cuts may show values that were set before. */
    @Override
    public HlcRange range() {
      return HlcRange.ALL;
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.removed(this);
    }
  }

  /**
   * A node that an operator declared not to return.
   *
   * @param hlc packed, the stamp of the stop that this added
   */
  record Forgotten(String node, long hlc) implements Incompleteness {
    @Override
    public String sentence() {
      return "node %s was forgotten at %s: what it recorded later is refused"
          .formatted(node, iso(hlc));
    }

    @Override
    public String kind() {
      return "forgotten";
    }

    @Override
    public boolean lasts() {
      return false;
    }

    @Override
    public HlcRange range() {
      return new HlcRange(hlc, hlc);
    }

    @Override
    public Set<String> nodes() {
      return Set.of(node);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.forgotten(this);
    }
  }

  /**
   * An input that ended too early, or of which a part was skipped.
   *
   * @param of the events that it may concern
   */
  record CutOff(String sentence, Extent of) implements Incompleteness {
    /** Of any events. */
    public CutOff(String sentence) {
      this(sentence, Extent.ALL);
    }

    @Override
    public CutOff within(Extent input) {
      return of.equals(Extent.ALL) ? new CutOff(sentence, input.onwards()) : this;
    }

    @Override
    public Set<String> nodes() {
      return of.nodes();
    }

    @Override
    public String kind() {
      return "cut-off";
    }

    @Override
    public HlcRange range() {
      return of.range();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.cutOff(this);
    }
  }

  /**
   * What an earlier program reported about the events that it wrote.
   *
   * @param of the events that it may concern
   */
  record Reported(String sentence, Extent of) implements Incompleteness {
    /** Of any events. */
    public Reported(String sentence) {
      this(sentence, Extent.ALL);
    }

    @Override
    public Reported within(Extent input) {
      return of.equals(Extent.ALL) ? new Reported(sentence, input.onwards()) : this;
    }

    @Override
    public Set<String> nodes() {
      return of.nodes();
    }

    @Override
    public String kind() {
      return "reported";
    }

    @Override
    public HlcRange range() {
      return of.range();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.reported(this);
    }
  }

  /**
   * What a reader of files remarks about times and forms that it had to interpret. The events are
   * complete.
   *
   * @param of these events
   */
  record Remarked(String sentence, Extent of) implements Incompleteness {
    /** Of all events. */
    public Remarked(String sentence) {
      this(sentence, Extent.ALL);
    }

    @Override
    public Remarked within(Extent input) {
      return of.equals(Extent.ALL) ? new Remarked(sentence, input) : this;
    }

    @Override
    public boolean lasts() {
      return false;
    }

    @Override
    public Set<String> nodes() {
      return of.nodes();
    }

    @Override
    public String kind() {
      return "remarked";
    }

    @Override
    public HlcRange range() {
      return of.range();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.remarked(this);
    }
  }

  /**
   * The selection of events that an input consists of: all others were left out.
   *
   * @param only the nodes whose events were selected; empty for all
   * @param logs the logs that were selected; empty for all
   * @param selected the range of the selected stamps
   * @param hasStart whether the state at the start of the range is among the events, as the events
   *     before it that set it
   * @param of the events, if they are a part of a larger source
   */
  record Part(Set<String> only, Set<String> logs, HlcRange selected, boolean hasStart, Extent of)
      implements Incompleteness {
    /** Copies the sets. */
    public Part {
      only = Set.copyOf(only);
      logs = Set.copyOf(logs);
    }

    /** An input that is not part of a larger source. */
    public Part(Set<String> only, Set<String> logs, HlcRange selected, boolean hasStart) {
      this(only, logs, selected, hasStart, Extent.ALL);
    }

    @Override
    public Part within(Extent input) {
      return of.equals(Extent.ALL)
          ? new Part(only, logs, selected, hasStart, input.onwards())
          : this;
    }

    @Override
    public Set<String> nodes() {
      return of.nodes();
    }

    @Override
    public String sentence() {
      StringBuilder text = new StringBuilder("the events are a part of a recording");
      if (!only.isEmpty()) {
        text.append(": only of ").append(names(only));
      }
      if (!logs.isEmpty()) {
        text.append(only.isEmpty() ? ": " : ", ").append("only of log ").append(names(logs));
      }
      boolean begins = selected.from() > HlcTimestamp.MIN_PACKED;
      if (begins) {
        text.append(only.isEmpty() && logs.isEmpty() ? ": " : ", ")
            .append("only from ")
            .append(iso(selected.from()))
            .append(hasStart ? ", with the state there" : ", without the state there");
      }
      if (selected.to() < HlcTimestamp.MAX_PACKED) {
        text.append(only.isEmpty() && logs.isEmpty() && !begins ? ": " : ", ")
            .append("only until ")
            .append(iso(selected.to()));
      }
      return text.toString();
    }

    @Override
    public String kind() {
      return "part";
    }

    /** The packed stamp before which events only set the state there; below all if none do. */
    public long stateHlc() {
      return hasStart ? selected.from() : HlcTimestamp.MIN_PACKED;
    }

    /** A query of selected nodes and logs needs no others, but the state at the start. */
    @Override
    public boolean concerns(Scope scope) {
      boolean lacksState =
          selected.from() > (hasStart ? scope.range().from() : HlcTimestamp.MIN_PACKED);
      boolean lacksNodes = !only.isEmpty() && scope.areAllCounted();
      boolean lacksLogs =
          !logs.isEmpty() && (scope.logs().isEmpty() || !logs.containsAll(scope.logs()));
      return of.concerns(scope) && (lacksState || lacksNodes || lacksLogs);
    }

    @Override
    public HlcRange range() {
      return of.range();
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.part(this);
    }
  }

  /** Two runs of one node whose stamps overlap, so that their order is not known. */
  record Overlapping(Overlap overlap) implements Incompleteness {
    @Override
    public String sentence() {
      return overlap.sentence();
    }

    @Override
    public String kind() {
      return "overlapping";
    }

    @Override
    public boolean lasts() {
      return false;
    }

    @Override
    public HlcRange range() {
      return overlap.range();
    }

    @Override
    public Set<String> nodes() {
      return Set.of(overlap.node());
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.overlapping(this);
    }
  }

  /**
   * A range that begins before the events do.
   *
   * @param fromHlc packed, its begin
   * @param historyHlc packed, the first event
   */
  record BeforeHistory(long fromHlc, long historyHlc) implements Incompleteness {
    @Override
    public String sentence() {
      return "the range begins at %s, and the events at %s"
          .formatted(iso(fromHlc), iso(historyHlc));
    }

    @Override
    public String kind() {
      return "before";
    }

    @Override
    public HlcRange range() {
      return new HlcRange(fromHlc, historyHlc);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.beforeHistory(this);
    }
  }

  /**
   * A range that ends after the last complete stamp.
   *
   * @param hlc packed, that stamp
   * @param sentence says so, with the age of the stamp on a server
   * @param nodes of a recording that ends there; empty for the events of any node
   */
  record AfterEnd(long hlc, String sentence, Set<String> nodes) implements Incompleteness {
    /** Copies the nodes. */
    public AfterEnd {
      nodes = Set.copyOf(nodes);
    }

    /** The end of the events of all nodes. */
    public AfterEnd(long hlc, String sentence) {
      this(hlc, sentence, Set.of());
    }

    /** The end of a recording, which a source keeps that has more events. */
    public static AfterEnd ofRecording(Extent recording) {
      long last = recording.range().to();
      return new AfterEnd(
          last,
          "complete only up to %s, the last stamp of the events".formatted(iso(last)),
          recording.nodes());
    }

    @Override
    public String kind() {
      return "after";
    }

    /** A query examines the end of its range by itself. */
    @Override
    public boolean concerns(Scope scope) {
      return false;
    }

    @Override
    public HlcRange range() {
      return new HlcRange(hlc, HlcTimestamp.MAX_PACKED);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.afterEnd(this);
    }
  }

  /**
   * Stamps that were derived from the readings of clocks and from messages.
   *
   * @param messages the number of messages that order events of different nodes
   */
  record Derived(HlcRange range, Set<String> nodes, long messages) implements Incompleteness {
    /** Copies the nodes. */
    public Derived {
      nodes = Set.copyOf(nodes);
    }

    @Override
    public String sentence() {
      if (nodes.size() == 1) {
        return "derived stamps: times and order are those of the lines";
      }
      String rests = "derived stamps: order between nodes rests on clocks";
      return messages == 0
          ? rests
          : String.format(
              Locale.ROOT,
              "%s, except for %,d %s",
              rests,
              messages,
              messages == 1 ? "message" : "messages");
    }

    @Override
    public String kind() {
      return "derived";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.derived(this);
    }
  }

  /**
   * Stamps that were ahead of every clock, so that more time passed than they show. The events are
   * complete.
   *
   * @param nodes whose clocks were set back
   * @param aheadMicros the difference between the first stamp and the highest clock, which falls
   *     from there
   */
  record Ahead(HlcRange range, Set<String> nodes, long aheadMicros) implements Incompleteness {
    /** Copies the nodes. */
    public Ahead {
      nodes = Set.copyOf(nodes);
    }

    /** Those among other reasons that overlap a range. */
    public static List<Ahead> among(Collection<Incompleteness> reasons, HlcRange range) {
      return reasons.stream()
          .filter(reason -> reason instanceof Ahead && reason.range().overlaps(range))
          .map(Ahead.class::cast)
          .toList();
    }

    /** The sentence has the times that the clocks showed, not the stamps. */
    @Override
    public String sentence() {
      return String.format(
          Locale.ROOT,
          "from %s to %s stamps were up to %.3f s ahead of every clock",
          HlcTimestamp.isoMicros(HlcTimestamp.micros(range.from()) - aheadMicros),
          iso(range.to()),
          aheadMicros / 1e6);
    }

    @Override
    public boolean lasts() {
      return false;
    }

    @Override
    public String kind() {
      return "ahead";
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.ahead(this);
    }
  }

  /**
   * Messages that were received at or before the stamps at which they were sent.
   *
   * @param range of the stamps of their ends
   * @param count their number
   */
  record Contradicting(String sender, String receiver, HlcRange range, long count)
      implements Incompleteness {
    @Override
    public String sentence() {
      return "%,d %s from %s to %s %s stamped as received before being sent, between %s and %s"
          .formatted(
              count,
              count == 1 ? "message" : "messages",
              sender,
              receiver,
              count == 1 ? "is" : "are",
              iso(range.from()),
              iso(range.to()));
    }

    @Override
    public String kind() {
      return "contradicting";
    }

    @Override
    public Set<String> nodes() {
      return sender.equals(receiver) ? Set.of(sender) : Set.of(sender, receiver);
    }

    @Override
    public <R> R accept(Visitor<R> visitor) {
      return visitor.contradicting(this);
    }
  }

  private static String iso(long hlc) {
    return HlcTimestamp.isoMicros(HlcTimestamp.micros(hlc));
  }

  private static String names(Collection<String> names) {
    return names.stream().sorted(NaturalOrder.INSTANCE).collect(Collectors.joining(", "));
  }
}
