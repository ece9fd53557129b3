// SPDX-License-Identifier: Apache-2.0
package io.retroscope.rql.alert;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.Pager.Circumstances;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the notices about episodes, by cases and against a model of a receiver. */
class PagerTest {
  private static final long KEEP_MICROS = 10;
  private static final long SUMMARIZE_MICROS = 10_000;
  private static final AlertSettings SETTINGS =
      new AlertSettings("page", KEEP_MICROS, SUMMARIZE_MICROS, List.of(), "", "", false, Map.of());

  private final AlertTimeline timeline = new AlertTimeline("a", KEEP_MICROS);
  private Pager pager = new Pager(SETTINGS, List.of());

  @Test
  void decide_aRiseAndItsFall_fireAndResolveOnceKeepHasPassed() {
    timeline.add(edge(Edge.Kind.RISE, "", 100));
    assertThat(notices(at(100))).containsExactly("a@100.0/firing-1");
    assertThat(notices(at(150))).isEmpty();
    timeline.add(edge(Edge.Kind.FALL, "", 200));
    assertThat(notices(at(209))).isEmpty();
    assertThat(notices(at(210))).containsExactly("a@100.0/resolved-2");
    assertThat(notices(at(500))).isEmpty();
  }

  @Test
  void decide_aRiseWithinKeep_continuesTheEpisode() {
    timeline.add(edge(Edge.Kind.RISE, "", 100));
    timeline.add(edge(Edge.Kind.FALL, "", 200));
    timeline.add(edge(Edge.Kind.RISE, "", 210));
    assertThat(notices(at(300))).containsExactly("a@100.0/firing-1");
    timeline.add(edge(Edge.Kind.FALL, "", 400));
    timeline.add(edge(Edge.Kind.RISE, "", 411));
    assertThat(notices(at(411))).containsExactly("a@100.0/resolved-2", "a@411.0/firing-1");
  }

  @Test
  void decide_whileANodeIsSilent_firesButDoesNotResolve() {
    timeline.add(edge(Edge.Kind.RISE, "", 100));
    timeline.add(edge(Edge.Kind.FALL, "", 200));
    Circumstances silent = new Circumstances(hlc(900), true, false, 900);
    assertThat(notices(silent)).containsExactly("a@100.0/firing-1");
    assertThat(notices(silent)).isEmpty();
    assertThat(notices(at(900))).containsExactly("a@100.0/resolved-2");
  }

  @Test
  void decide_edgesThatLateEventsChange_areCorrected() {
    Edge rise = edge(Edge.Kind.RISE, "", 100);
    Edge fall = edge(Edge.Kind.FALL, "", 200);
    timeline.add(rise);
    timeline.add(fall);
    assertThat(notices(at(300))).containsExactly("a@100.0/firing-1", "a@100.0/resolved-2");
    timeline.retract(fall.digest());
    assertThat(decide(at(310)))
        .extracting(Notice::key, Notice::isCorrection)
        .containsExactly(tuple("a@100.0/firing-3", true));
    timeline.add(edge(Edge.Kind.FALL, "", 250));
    assertThat(notices(at(320))).containsExactly("a@100.0/resolved-4");
    timeline.retract(rise.digest());
    assertThat(decide(at(330)))
        .extracting(Notice::key, Notice::isCorrection)
        .containsExactly(tuple("a@100.0/resolved-5", true));
    assertThat(notices(at(340))).isEmpty();
  }

  @Test
  void decide_anEpisodeShorterThanItsUncertainty_isRecordedOnly() {
    timeline.add(uncertain(Edge.Kind.RISE, 100));
    timeline.add(uncertain(Edge.Kind.FALL, 105));
    assertThat(notices(at(200))).isEmpty();
    assertThat(pager.pages()).extracting(Page::state).containsExactly(Page.State.RECORDED);
    timeline.add(uncertain(Edge.Kind.RISE, 300));
    timeline.add(uncertain(Edge.Kind.FALL, 400));
    assertThat(notices(at(500))).containsExactly("a@300.0/firing-1", "a@300.0/resolved-2");
  }

  @Test
  void decide_whileMuted_sendsNothing_andAfterwardsWhatStillHolds() {
    timeline.add(edge(Edge.Kind.RISE, "x", 100));
    timeline.add(edge(Edge.Kind.RISE, "y", 100));
    assertThat(notices(new Circumstances(hlc(150), false, true, 150))).isEmpty();
    timeline.add(edge(Edge.Kind.FALL, "x", 200));
    assertThat(notices(new Circumstances(hlc(250), false, true, 250))).isEmpty();
    assertThat(notices(at(260))).containsExactly("a[y]@100.0/firing-1");
  }

  @Test
  void decide_episodesThatEndedLongAgo_areOneSummary_andTheOthersFire() {
    timeline.add(edge(Edge.Kind.RISE, "x", 100));
    timeline.add(edge(Edge.Kind.FALL, "x", 200));
    timeline.add(edge(Edge.Kind.RISE, "x", 300));
    timeline.add(edge(Edge.Kind.FALL, "x", 400));
    timeline.add(edge(Edge.Kind.RISE, "y", 100));
    timeline.add(edge(Edge.Kind.RISE, "z", 100));
    timeline.add(edge(Edge.Kind.FALL, "z", 9_000));
    Circumstances late = new Circumstances(hlc(9_500), false, false, 400 + SUMMARIZE_MICROS + 1);
    Pager.Outcome first = pager.decide(timeline.episodes(), late);
    assertThat(first.past())
        .extracting(AlertEpisode::id)
        .containsExactly("a[x]@100.0", "a[x]@300.0");
    assertThat(first.notices())
        .extracting(Notice::key)
        .containsExactly("a[y]@100.0/firing-1", "a[z]@100.0/firing-1", "a[z]@100.0/resolved-2");
    Pager.Outcome second = pager.decide(timeline.episodes(), late);
    assertThat(second.past()).isEmpty();
    assertThat(second.notices()).isEmpty();
    // What receivers know is reported as over, however long ago that was.
    timeline.add(edge(Edge.Kind.FALL, "y", 200));
    assertThat(notices(late)).containsExactly("a[y]@100.0/resolved-2");
    // A late event shows that one of them is not over.
    timeline.retract(edge(Edge.Kind.FALL, "x", 400).digest());
    assertThat(notices(late)).containsExactly("a[x]@300.0/firing-1");
  }

  @Test
  void acknowledge_ofAnItem_marksWhatHolds() {
    timeline.add(edge(Edge.Kind.RISE, "x", 100));
    timeline.add(edge(Edge.Kind.RISE, "y", 100));
    decide(at(150));
    assertThat(pager.acknowledge(Page.ofItem(Optional.of("y")), "ann"))
        .extracting(Page::episode)
        .containsExactly("a[y]@100.0");
    assertThat(pager.acknowledge(Page.ofItem(Optional.of("z")), "ann")).isEmpty();
  }

  @Test
  void end_ofTheAlert_resolvesWhatHolds() {
    timeline.add(edge(Edge.Kind.RISE, "", 100));
    decide(at(150));
    assertThat(pager.end("the rule has changed").notices())
        .extracting(Notice::key)
        .containsExactly("a@100.0/resolved-2");
  }

  /**
   * Edges come, late edges come and edges are taken back in random order, with restarts and
   * forgetting between; at the end a receiver that believes each notice must believe the episodes
   * that a pager finds that saw the final edges at once.
   */
  @Test
  void decide_randomHistories_receiversBelieveTheFinalEpisodes() {
    long seed = Long.getLong("retroscope.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      model(random, "seed %d, round %d".formatted(seed, round));
    }
  }

  private static void model(Random random, String at) {
    AlertTimeline timeline = new AlertTimeline("a", KEEP_MICROS);
    Pager pager = new Pager(SETTINGS, List.of());
    Map<String, String> believed = new TreeMap<>();
    Set<String> keys = new HashSet<>();
    Map<String, Boolean> holds = new HashMap<>();
    List<Edge> all = new ArrayList<>();
    long reached = 100;
    for (int step = 0; step < 40; step++) {
      reached += random.nextInt(12);
      String item = random.nextBoolean() ? "x" : "y";
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          boolean rises = !holds.getOrDefault(item, false);
          Edge edge = edge(rises ? Edge.Kind.RISE : Edge.Kind.FALL, item, reached);
          holds.put(item, rises);
          timeline.add(edge);
          all.add(edge);
        }
        case 2 -> {
          // A late event takes one rise and the fall after it back.
          List<Edge> own = all.stream().filter(edge -> edge.item().equals(item)).sorted().toList();
          for (int i = 0; i + 1 < own.size(); i++) {
            if (own.get(i).kind() == Edge.Kind.RISE && random.nextInt(3) == 0) {
              List<Edge> pair = List.of(own.get(i), own.get(i + 1));
              pair.forEach(edge -> timeline.retract(edge.digest()));
              all.removeAll(pair);
              break;
            }
          }
        }
        case 3 ->
            // A restart knows the stored state.
            pager = new Pager(SETTINGS, pager.pages());
        default -> {}
      }
      Circumstances now = new Circumstances(hlc(reached), random.nextInt(3) == 0, false, reached);
      for (Notice notice : pager.decide(timeline.episodes(), now).notices()) {
        assertThat(keys.add(notice.key())).as(at + ": twice " + notice.key()).isTrue();
        believe(notice, believed);
      }
    }
    Pager.Outcome last =
        pager.decide(
            timeline.episodes(), new Circumstances(hlc(reached + 1_000), false, false, reached));
    last.notices().forEach(notice -> believe(notice, believed));
    Map<String, String> whole = new TreeMap<>();
    AlertTimeline fresh = new AlertTimeline("a", KEEP_MICROS);
    all.forEach(fresh::add);
    new Pager(SETTINGS, List.of())
        .decide(fresh.episodes(), new Circumstances(hlc(reached + 1_000), false, false, reached))
        .notices()
        .forEach(notice -> believe(notice, whole));
    assertThat(believed).as(at).isEqualTo(whole);
  }

  private static void believe(Notice notice, Map<String, String> believed) {
    if (notice.rise().isEmpty()) {
      believed.remove(notice.episode());
    } else {
      believed.put(
          notice.episode(), notice.kind() + notice.fall().map(fall -> " " + fall.hlc()).orElse(""));
    }
  }

  @Test
  void forget_episodesThatAreOver_leavesTheOthers() {
    timeline.add(edge(Edge.Kind.RISE, "", 100));
    timeline.add(edge(Edge.Kind.FALL, "", 200));
    timeline.add(edge(Edge.Kind.RISE, "", 300));
    decide(at(400));
    assertThat(timeline.forget(hlc(205), Set.of())).isEmpty();
    assertThat(timeline.forget(hlc(350), Set.of("a@100.0"))).isEmpty();
    assertThat(timeline.forget(hlc(350), Set.of())).containsExactly("a@100.0");
    pager.forget(Set.of("a@100.0"));
    assertThat(notices(at(410))).isEmpty();
    assertThat(timeline.size()).isEqualTo(1);
  }

  private List<String> notices(Circumstances at) {
    return decide(at).stream().map(Notice::key).toList();
  }

  private List<Notice> decide(Circumstances at) {
    return pager.decide(timeline.episodes(), at).notices();
  }

  private static Circumstances at(long micros) {
    return new Circumstances(hlc(micros), false, false, micros);
  }

  private static Edge edge(Edge.Kind kind, String item, long micros) {
    return edge(kind, item, micros, OptionalLong.empty());
  }

  private static Edge uncertain(Edge.Kind kind, long micros) {
    return edge(kind, "", micros, OptionalLong.of(5));
  }

  private static Edge edge(Edge.Kind kind, String item, long micros, OptionalLong uncertainty) {
    return new Edge(
        kind,
        item,
        hlc(micros),
        hlc(micros),
        (item.hashCode() * 1_000_003L + micros) * 2 + (kind == Edge.Kind.RISE ? 0 : 1),
        "",
        uncertainty,
        false,
        new StructValue(Map.of()));
  }

  private static long hlc(long micros) {
    return HlcTimestamp.pack(micros);
  }
}
