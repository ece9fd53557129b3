// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Event;
import io.retroscope.event.EventBlock;
import io.retroscope.event.EventBlockCodec;
import io.retroscope.event.EventKind;
import io.retroscope.rql.cut.ClockOffsets;
import io.retroscope.rql.cut.EventSource.View;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.server.align.AlignmentSettings;
import io.retroscope.server.live.MonotonicClock;
import io.retroscope.server.store.disk.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Tests of the evidence about clocks that a partition has, and of the warning without it. */
class PartitionEvidenceTest {
  private static final PartThreads THREADS = new PartThreads();

  /** More than are compared without choosing some. */
  private static final int MANY_MESSAGES = 3_000;

  private final AtomicLong nanos = new AtomicLong();

  private PartitionEvidence evidence() {
    return new PartitionEvidence(1, nanos::get);
  }

  private static StoredPart part(List<Event> events, Optional<PartitionEvidence> evidence) {
    return new StoredPart(
        new OpenViews(),
        () -> MergedViewTest.sliced(events),
        Optional::empty,
        evidence,
        CutPieces.EVENTS);
  }

  private View view(List<Event> events, PartitionEvidence evidence) {
    ClusterClocks clocks = new ClusterClocks(AlignmentSettings.DEFAULT, nanos::get);
    return new MergedView(THREADS, List.of(part(events, Optional.of(evidence))), clocks::of);
  }

  @Test
  void events_readFromStoreOrArrived_areTheSame() throws Exception {
    SkewedNodes nodes = new SkewedNodes(1, 100);
    PartitionEvidence arrived = evidence();
    for (List<byte[]> frames : nodes.frames().values()) {
      for (byte[] frame : frames) {
        arrived.stored(EventBlockCodec.decodeBlock(frame));
      }
    }
    PartitionEvidence read = evidence();
    read.read(() -> part(nodes.events(), Optional.empty()), () -> true);

    assertThat(arrived.events()).hasSizeGreaterThan(200);
    assertThat(read.events()).isEqualTo(arrived.events());
    arrived.read(() -> part(nodes.events(), Optional.empty()), () -> true);
    assertThat(arrived.events()).isEqualTo(read.events());
    assertThat(arrived.mark().isWhole()).isTrue();
  }

  /** A store is read while events arrive. */
  @Test
  void events_someStoredAndSomeArrived_areThoseOfBoth() {
    List<Event> events = new SkewedNodes(1, 100).events();
    PartitionEvidence evidence = evidence();
    evidence.stored(EventBlock.of(events.subList(250, events.size())));
    evidence.read(() -> part(events.subList(0, 250), Optional.empty()), () -> true);
    PartitionEvidence whole = evidence();
    whole.stored(EventBlock.of(events));
    assertThat(evidence.events()).containsAll(messages(whole)).hasSizeLessThan(events.size() + 1);
  }

  private static List<Event> messages(PartitionEvidence evidence) {
    return evidence.events().stream()
        .filter(event -> event.body().kind() == EventKind.SEND)
        .toList();
  }

  /** An answer does not wait for a large store. */
  @Test
  void clocks_storedEventsAreNotRead_areUnknownAndThatIsSaid() {
    List<Event> events = new SkewedNodes(1, 100).events();
    PartitionEvidence evidence = evidence();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    try (View view = view(events, evidence)) {
      assertThat(view.clockOffsets()).isSameAs(ClockOffsets.UNKNOWN);
      assertThat(view.reasons(HlcRange.ALL)).containsExactly(MergedView.UNALIGNED);
    }
    evidence.read(() -> part(events, Optional.empty()), () -> true);
    try (View view = view(events, evidence)) {
      assertThat(view.clockOffsets().referenceNode()).hasValue(SkewedNodes.name(0));
      assertThat(view.reasons(HlcRange.ALL)).isEmpty();
    }
  }

  /** Otherwise clocks would stay unknown until the store is opened again. */
  @Test
  void storedEvents_cannotBeReadOnce_areReadAgainLater() {
    PartitionEvidence evidence = evidence();
    assertThat(evidence.beginReading()).isTrue();
    assertThat(evidence.beginReading()).as("while they are being read").isFalse();
    evidence.read(
        () -> {
          throw new StoreException("the disk does not answer");
        },
        () -> true);
    assertThat(evidence.beginReading()).as("just after a failure").isFalse();
    nanos.addAndGet(PartitionEvidence.PAUSE_NANOS);
    assertThat(evidence.mark().isWhole()).isFalse();

    assertThat(evidence.beginReading()).isTrue();
    evidence.read(() -> part(new SkewedNodes(1, 10).events(), Optional.empty()), () -> true);
    assertThat(evidence.mark().isWhole()).isTrue();
    nanos.addAndGet(PartitionEvidence.PAUSE_NANOS);
    assertThat(evidence.beginReading()).as("once they are known").isFalse();
  }

  @Test
  void messages_moreThanAreCompared_areSaidToBeASample() {
    SkewedNodes nodes = new SkewedNodes(1, MANY_MESSAGES);
    PartitionEvidence evidence = evidence();
    evidence.read(() -> part(nodes.events(), Optional.empty()), () -> true);
    long sampledHlc = evidence.mark().sampledHlc();
    long last = nodes.events().get(nodes.events().size() - 1).hlc();
    assertThat(sampledHlc).isBetween(nodes.events().get(0).hlc(), last - 1);
    try (View view = view(nodes.events(), evidence)) {
      assertThat(view.reasons(HlcRange.ALL))
          .singleElement()
          .extracting(Incompleteness::sentence)
          .asString()
          .contains("a sample", HlcTimestamp.text(sampledHlc));
      assertThat(view.reasons(new HlcRange(sampledHlc + 1, last))).isEmpty();
    }
  }

  /** The evidence becomes less while a view is open that has not read it yet. */
  @Test
  void messages_leftOutSinceTheViewWasOpened_areSaidToBe() throws Exception {
    SkewedNodes nodes = new SkewedNodes(1, MANY_MESSAGES);
    PartitionEvidence evidence = evidence();
    evidence.read(() -> part(List.of(), Optional.empty()), () -> true);
    try (View view = view(nodes.events(), evidence)) {
      assertThat(view.gaps(HlcRange.ALL)).isEmpty();
      for (List<byte[]> frames : nodes.frames().values()) {
        for (byte[] frame : frames) {
          evidence.stored(EventBlockCodec.decodeBlock(frame));
        }
      }
      assertThat(view.reasons(HlcRange.ALL))
          .extracting(Incompleteness::sentence)
          .anyMatch(sentence -> sentence.contains("a sample"));
    }
  }

  /** The alignment takes much longer than the answer of SHOW NODES without it. */
  @Test
  void gapsAndOverlaps_ofAView_needNoAlignment() {
    List<Event> events = new SkewedNodes(1, 10).events();
    PartitionEvidence evidence = evidence();
    evidence.read(() -> part(events, Optional.empty()), () -> true);
    AtomicInteger alignments = new AtomicInteger();
    ViewClocks counting =
        (marks, read) -> {
          alignments.incrementAndGet();
          return ClockOffsets.UNKNOWN;
        };
    try (View view =
        new MergedView(THREADS, List.of(part(events, Optional.of(evidence))), counting)) {
      assertThat(view.gaps(HlcRange.ALL)).isEmpty();
      assertThat(view.overlaps(HlcRange.ALL)).isEmpty();
      assertThat(alignments).hasValue(0);
      assertThat(view.reasons(HlcRange.ALL)).isEmpty();
      assertThat(alignments).hasValue(1);
    }
  }

  /**
   * A view of the present uses the known offsets, and the next ones those that were found
   * meanwhile.
   */
  @Test
  void recent_evidenceHasChanged_isAlignedAgainElsewhereAndNotTooOften() {
    ClusterClocks clocks = new ClusterClocks(AlignmentSettings.DEFAULT, nanos::get);
    List<Runnable> refreshes = new ArrayList<>();
    List<Event> events = new SkewedNodes(1, 100).events();
    List<EvidenceMark> before = List.of(new EvidenceMark(1, 1, true, 0));
    List<EvidenceMark> after = List.of(new EvidenceMark(1, 2, true, 0));
    ClockOffsets first =
        clocks.recent(before, () -> events.subList(0, 150).iterator(), () -> refreshes.add(null));
    assertThat(first.referenceNode()).isPresent();
    Runnable refresh = () -> refreshes.add(() -> clocks.of(after, events::iterator));

    assertThat(clocks.recent(after, List.<Event>of()::iterator, refresh)).isSameAs(first);
    assertThat(refreshes).isEmpty();
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(clocks.recent(before, List.<Event>of()::iterator, refresh)).isSameAs(first);
    assertThat(refreshes).isEmpty();
    assertThat(clocks.recent(after, List.<Event>of()::iterator, refresh)).isSameAs(first);
    assertThat(clocks.recent(after, List.<Event>of()::iterator, refresh)).isSameAs(first);
    assertThat(refreshes).hasSize(1);
    refreshes.get(0).run();
    clocks.refreshed();
    assertThat(clocks.recent(after, List.<Event>of()::iterator, refresh)).isNotSameAs(first);
  }

  /** Otherwise the first live rows after a quiet time would lack what the evidence since shows. */
  @Test
  void recent_knownOffsetsAreOld_isAlignedBeforeTheAnswer() {
    ClusterClocks clocks = new ClusterClocks(AlignmentSettings.DEFAULT, nanos::get);
    List<Runnable> refreshes = new ArrayList<>();
    List<Event> events = new SkewedNodes(1, 100).events();
    List<EvidenceMark> before = List.of(new EvidenceMark(1, 1, true, 0));
    List<EvidenceMark> after = List.of(new EvidenceMark(1, 2, true, 0));
    ClockOffsets old = clocks.of(before, events.subList(0, 150)::iterator);
    Runnable refresh = () -> refreshes.add(() -> clocks.of(after, events::iterator));
    nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));

    assertThat(clocks.recent(before, List.<Event>of()::iterator, refresh)).isSameAs(old);
    ClockOffsets present = clocks.recent(after, events::iterator, refresh);
    assertThat(present).isNotSameAs(old);
    assertThat(clocks.of(after, List.<Event>of()::iterator)).isSameAs(present);
    assertThat(refreshes).isEmpty();
  }

  @Test
  void of_sameEvidence_isAlignedOnce() {
    ClusterClocks clocks = new ClusterClocks(AlignmentSettings.DEFAULT, MonotonicClock.system());
    List<Event> events = new SkewedNodes(1, 10).events();
    List<EvidenceMark> marks = List.of(new EvidenceMark(1, 1, true, 0));
    ClockOffsets offsets = clocks.of(marks, events::iterator);
    assertThat(clocks.of(marks, List.<Event>of()::iterator)).isSameAs(offsets);
    assertThat(clocks.of(List.of(new EvidenceMark(2, 1, true, 0)), events::iterator))
        .isNotSameAs(offsets);
  }
}
