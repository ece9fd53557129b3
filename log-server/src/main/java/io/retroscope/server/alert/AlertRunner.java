// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.StructValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.alert.AlertEpisode;
import io.retroscope.rql.alert.AlertTimeline;
import io.retroscope.rql.alert.Edge;
import io.retroscope.rql.alert.EdgeReader;
import io.retroscope.rql.alert.Notice;
import io.retroscope.rql.alert.Page;
import io.retroscope.rql.alert.Pager;
import io.retroscope.rql.answer.Column;
import io.retroscope.rql.answer.Row;
import io.retroscope.rql.answer.StreamPlace;
import io.retroscope.rql.cut.EventSource;
import io.retroscope.rql.cut.HlcRange;
import io.retroscope.rql.cut.Incompleteness;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.rql.engine.live.LiveStart;
import io.retroscope.server.alert.AlertState.Checkpoint;
import io.retroscope.server.live.LiveFollower;
import io.retroscope.server.live.LiveFollowers;
import io.retroscope.server.live.LiveSink;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.store.AlertRecords;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The evaluation of one alert. Guarded by the lock of its service. */
/*
 * The edges are the rows of a STREAM. After a restart, and after events that came too late for the
 * STREAM to correct itself, another one begins at a checkpoint below. It finds edges that are stored
 * already, which are compared: those that it does not find are retracted, and those that are not
 * stored are new. Because notices follow from a comparison of episodes with what receivers know, it
 * does not matter how often an edge was found.
 */
final class AlertRunner implements LiveSink, AutoCloseable {
  /** The largest number of edges of episodes that may still change. */
  private static final int MAX_EDGES = 200_000;

  private static final long STORE_POSITION_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The share of its time that an alert with very many episodes decides is one in this number. */
  private static final long DECISION_SHARE = 10;

  /** The reasons why an episode ends with its alert. */
  static final String CHANGED = "the rule has changed";

  static final String REMOVED = "the rule was removed";

  private static final long NONE = HlcTimestamp.MAX_PACKED;

  private final AlertDefinition alert;
  private final AlertRecords store;
  private final StreamingQuery.Parts parts;
  private final LiveFollowers followers;
  private final EdgeReader reader = new EdgeReader();
  private AlertState state;
  private AlertTimeline timeline;
  private Pager pager;
  private @Nullable LiveFollower follower;
  private StreamPlace place;
  private long foundHlc;

  /** Edges that are stored and were not found again, by what identifies them. */
  private final Map<EdgeId, Edge> expected = new HashMap<>();

  /** The stamp up to which stored edges are found again; below all stamps if they all were. */
  private long expectedUntil = HlcTimestamp.MIN_PACKED;

  private long lostFrom = NONE;
  private final Map<String, Edge> added = new LinkedHashMap<>();
  private final Map<String, Edge> removed = new LinkedHashMap<>();
  private Optional<String> error = Optional.empty();
  private boolean isDue = true;
  private long mayDecideNanos;
  private long positionNanos;
  private Set<String> missing = Set.of();

  /** The identity of an edge, whichever walk has found it. */
  private record EdgeId(Edge.Kind kind, String item, long hlc) {
    static EdgeId of(Edge edge) {
      return new EdgeId(edge.kind(), edge.item(), edge.hlc());
    }
  }

  AlertRunner(
      AlertDefinition alert,
      AlertState state,
      AlertRecords store,
      StreamingQuery.Parts parts,
      LiveFollowers followers) {
    this.followers = followers;
    this.alert = alert;
    this.state = state;
    this.store = store;
    this.parts = parts;
    this.timeline = new AlertTimeline(alert.name(), alert.settings().keepMicros());
    this.pager = new Pager(alert.settings(), List.of());
    this.place = state.last().place();
    this.mayDecideNanos = parts.clock().nanos();
    this.positionNanos = parts.clock().nanos() - STORE_POSITION_NANOS;
  }

  AlertDefinition alert() {
    return alert;
  }

  AlertState state() {
    return state;
  }

  /** Begins, or continues from what is stored. */
  private void open() {
    noteRemoved();
    openAt(state.last());
  }

  /** Leaves everything that is not stored to the next {@link #prepare}. */
  void suspend() {
    closeFollower();
    added.clear();
    removed.clear();
  }

  /** Notes the events that retention has removed since the alert was evaluated last. */
  private void noteRemoved() {
    long reached = state.reachedHlc();
    try (EventSource.View view = parts.source().open()) {
      view.reasons(new HlcRange(reached, HlcTimestamp.MAX_PACKED)).stream()
          .filter(Incompleteness.Removed.class::isInstance)
          .map(Incompleteness.Removed.class::cast)
          .filter(gone -> gone.hlc() > reached && reached >= state.begin())
          .findFirst()
          .ifPresent(
              gone ->
                  state =
                      state.missing(
                          "not evaluated from %s to %s: retention removed these events"
                              .formatted(
                                  HlcTimestamp.text(reached), HlcTimestamp.text(gone.hlc()))));
    }
  }

  private void openAt(Checkpoint from) {
    LiveFollower before = follower;
    follower = null;
    load(from);
    expectedUntil =
        expected.values().stream().mapToLong(Edge::found).max().orElse(HlcTimestamp.MIN_PACKED);
    isDue = true;
    place = from.place();
    lostFrom = NONE;
    try {
      follower =
          followers.open(
              parts.engine().prepare(alert.stream()), this, LiveStart.resuming(from.place()));
    } catch (RqlException e) {
      failed(e);
    }
    if (before != null) {
      // An event may have come after the checkpoint was chosen, and before the new walk began.
      lostFrom = before.lowestLate() <= from.hlc() ? before.lowestLate() : lostFrom;
      before.close();
    }
  }

  /** Reads the edges and pages that may change, and those edges that are found again. */
  private void load(Checkpoint from) {
    timeline = new AlertTimeline(alert.name(), alert.settings().keepMicros());
    expected.clear();
    List<Page> pages = new ArrayList<>();
    store.readAlerts(
        AlertKeys.pages(alert.name()),
        AlertKeys.pages(alert.name(), from.loadFrom()),
        (key, bytes) -> pages.add(Page.of(Batch.read(bytes))));
    pager = new Pager(alert.settings(), pages);
    Map<String, Long> firstRise = new HashMap<>();
    pages.forEach(page -> firstRise.merge(page.item(), AlertKeys.riseHlc(page), Math::min));
    store.readAlerts(
        AlertKeys.edges(alert.name()),
        AlertKeys.edges(alert.name(), from.loadFrom()),
        (key, bytes) -> {
          StructValue fields = Batch.read(bytes);
          if (!isRetracted(fields)) {
            Edge edge = Edge.of(fields);
            boolean isFoundAgain = edge.found() > from.hlc();
            // Other edges may be the rest of an episode that can no longer change.
            if (isFoundAgain || edge.hlc() >= firstRise.getOrDefault(edge.item(), NONE)) {
              timeline.add(edge);
            }
            if (isFoundAgain) {
              expected.put(EdgeId.of(edge), edge);
            }
          }
          return true;
        });
  }

  private static boolean isRetracted(StructValue edge) {
    return Value.of(true).equals(edge.fields().get("retracted"));
  }

  /**
   * Begins, unless it has, and begins again below events that came too late for the walk so far.
   *
   * @throws PartitionException if a partition cannot be read now
   */
  void prepare() {
    if (follower == null && error.isEmpty()) {
      open();
    }
    LiveFollower follows = follower;
    if (lostFrom != NONE && follows != null) {
      Checkpoint from = state.before(Math.min(lostFrom, follows.lowestLate()));
      state = state.backTo(from);
      openAt(from);
    }
  }

  /** Takes note of how far the evaluation has come. */
  void reached() {
    LiveFollower follows = follower;
    if (follows == null) {
      return;
    }
    Set<String> silent = follows.missing();
    isDue |= !silent.equals(missing);
    missing = Set.copyOf(silent);
    if (expectedUntil != HlcTimestamp.MIN_PACKED && follows.reached().hlc() >= expectedUntil) {
      expected.values().forEach(this::drop);
      expected.clear();
      expectedUntil = HlcTimestamp.MIN_PACKED;
    }
    if (timeline.size() > MAX_EDGES) {
      broken("more than %,d edges wait for silent nodes: see FORGET NODE".formatted(MAX_EDGES));
    }
  }

  private void drop(Edge edge) {
    timeline.retract(edge.digest()).forEach(this::remove);
  }

  private void remove(Edge edge) {
    String key = AlertKeys.edge(alert.name(), edge);
    added.remove(key);
    removed.put(key, edge);
    isDue = true;
  }

  private void add(Row row) {
    for (Edge edge : reader.edges(row, foundHlc, place.row())) {
      Edge known = expected.remove(EdgeId.of(edge));
      if (known != null && known.digest() == edge.digest()) {
        continue;
      }
      if (known != null) {
        drop(known);
      }
      timeline.add(edge);
      String key = AlertKeys.edge(alert.name(), edge);
      removed.remove(key);
      added.put(key, edge);
      isDue = true;
    }
  }

  /**
   * Adds what has changed since the last call.
   *
   * @param nowMicros on the server's clock
   * @param server the address for messages
   */
  void changes(Batch batch, long nowMicros, String server) {
    added.forEach((key, edge) -> batch.put(key, edge.fields()));
    removed.forEach((key, edge) -> batch.put(key, retracted(edge)));
    boolean isNews = !added.isEmpty() || !removed.isEmpty();
    added.clear();
    removed.clear();
    long now = parts.clock().nanos();
    if (follower != null && !isReconciling() && isDue && now >= mayDecideNanos) {
      isNews |= decide(batch, nowMicros, server);
      mayDecideNanos = now + DECISION_SHARE * (parts.clock().nanos() - now);
    }
    LiveFollower follows = follower;
    boolean isPositionDue = isNews || now - positionNanos >= STORE_POSITION_NANOS;
    if (follows != null && !isReconciling() && isPositionDue) {
      storePosition(follows, batch);
      positionNanos = now;
    }
  }

  private boolean isReconciling() {
    return expectedUntil != HlcTimestamp.MIN_PACKED || lostFrom != NONE;
  }

  private boolean decide(Batch batch, long nowMicros, String server) {
    LiveFollower follows = Objects.requireNonNull(follower);
    List<AlertEpisode> episodes = timeline.episodes();
    boolean isDoubtful = !missing.isEmpty() || !follows.isSettled();
    boolean isMuted = nowMicros < state.mutedUntilMicros();
    Pager.Outcome outcome =
        pager.decide(
            episodes,
            new Pager.Circumstances(follows.reached().hlc(), isDoubtful, isMuted, nowMicros));
    Map<String, AlertEpisode> byId = new HashMap<>();
    episodes.forEach(episode -> byId.put(episode.id(), episode));
    outcome
        .pages()
        .forEach(page -> batch.put(AlertKeys.page(alert.name(), page), full(page, byId)));
    EndedNodes ended = EndedNodes.of(outcome.notices(), parts.source());
    outcome
        .notices()
        .forEach(notice -> batch.send(message(notice, ended.reason(notice), nowMicros, server)));
    if (!outcome.past().isEmpty()) {
      batch.send(AlertMessage.summary(alert, outcome.past(), health(nowMicros), server));
    }
    isDue =
        pager.pages().stream()
            .anyMatch(
                page ->
                    page.state() == Page.State.MUTED
                        || (page.state() == Page.State.FIRING && isOver(byId.get(page.episode()))));
    return !outcome.pages().isEmpty();
  }

  private static boolean isOver(@Nullable AlertEpisode episode) {
    return episode == null || episode.fall().isPresent();
  }

  private AlertMessage message(Notice notice, long nowMicros, String server) {
    return message(notice, notice.reason(), nowMicros, server);
  }

  private AlertMessage message(Notice notice, String reason, long nowMicros, String server) {
    return AlertMessage.of(alert, notice, reason, health(nowMicros), server);
  }

  /** A page with the edges of its episode, for the history. */
  private static StructValue full(Page page, Map<String, AlertEpisode> byId) {
    Map<String, Value> fields = new LinkedHashMap<>(page.fields().fields());
    AlertEpisode episode = byId.get(page.episode());
    if (episode != null) {
      fields.put("rise", episode.rise().fields());
      episode.fall().ifPresent(fall -> fields.put("fall", fall.fields()));
      fields.put("borderline", Value.of(episode.isBorderline()));
    }
    return new StructValue(fields);
  }

  private static StructValue retracted(Edge edge) {
    Map<String, Value> fields = new LinkedHashMap<>(edge.fields().fields());
    fields.put("retracted", Value.of(true));
    return new StructValue(fields);
  }

  private void storePosition(LiveFollower follows, Batch batch) {
    StreamPlace at = follows.place();
    forget(at.from());
    long loadFrom =
        pager.pages().stream().mapToLong(AlertKeys::riseHlc).min().orElse(HlcTimestamp.MAX_PACKED);
    for (AlertEpisode episode : timeline.episodes()) {
      loadFrom = Math.min(loadFrom, episode.rise().hlc());
    }
    loadFrom = Math.max(state.begin(), Math.min(loadFrom, Math.min(at.start(), at.from())));
    state =
        state.reached(
            Math.max(state.reachedHlc(), at.hlc()),
            new Checkpoint(at.start(), at.from(), loadFrom));
    batch.put(AlertKeys.state(alert.name()), state.fields());
  }

  /** Forgets the episodes that no late event changes any more, and that are settled. */
  private void forget(long hlc) {
    Map<String, Page> known = new HashMap<>();
    pager.pages().forEach(page -> known.put(page.episode(), page));
    Set<String> kept = new HashSet<>();
    for (AlertEpisode episode : timeline.episodes()) {
      if (!isSettled(episode, known.get(episode.id()))) {
        kept.add(episode.id());
      }
    }
    pager.forget(timeline.forget(hlc, kept));
    Set<String> gone = new HashSet<>();
    for (Page page : pager.pages()) {
      if (page.state() == Page.State.RETRACTED && AlertKeys.riseHlc(page) < hlc) {
        gone.add(page.episode());
      }
    }
    pager.forget(gone);
  }

  /** Whether receivers know the end of an episode, or need not know it. */
  private static boolean isSettled(AlertEpisode episode, @Nullable Page page) {
    return page != null
        && (page.state() == Page.State.RESOLVED || page.state() == Page.State.RECORDED)
        && episode.fall().isPresent()
        && episode.fall().get().hlc() == page.endHlc();
  }

  /** Ends an alert whose text has changed, or is gone, before it was opened. */
  void endUnopened(Batch batch, PhysicalClock clock, Supplier<String> address) {
    load(state.last());
    String reason = alert.stream().isEmpty() ? REMOVED : CHANGED;
    end(batch, reason, clock.micros(), address.get());
  }

  /** Ends what receivers take to hold, because the alert is no longer evaluated. */
  void end(Batch batch, String reason, long nowMicros, String server) {
    Pager.Outcome outcome = pager.end(reason);
    outcome
        .pages()
        .forEach(page -> batch.put(AlertKeys.page(alert.name(), page), full(page, Map.of())));
    outcome.notices().forEach(notice -> batch.send(message(notice, nowMicros, server)));
    if (reason.equals(REMOVED)) {
      batch.remove(AlertKeys.state(alert.name()));
    }
  }

  /** Acknowledges what holds, as far as it is meant; returns the episodes. */
  List<String> acknowledge(Predicate<Page> which, String by, Batch batch) {
    Map<String, AlertEpisode> byId = new HashMap<>();
    timeline.episodes().forEach(episode -> byId.put(episode.id(), episode));
    List<Page> changed = pager.acknowledge(which, by);
    changed.forEach(page -> batch.put(AlertKeys.page(alert.name(), page), full(page, byId)));
    return changed.stream().map(Page::episode).toList();
  }

  /** Sends nothing until an instant of the server's clock. */
  void mute(long untilMicros, Batch batch) {
    state = state.muted(untilMicros);
    batch.put(AlertKeys.state(alert.name()), state.fields());
    isDue = true;
  }

  /** The pages of the episodes that hold, or are yet to be reported as over. */
  List<Page> openPages() {
    return pager.pages().stream()
        .filter(page -> page.state() == Page.State.FIRING || page.state() == Page.State.MUTED)
        .toList();
  }

  /**
   * The items whose predicate holds, but not yet for the duration of FOR, with the packed stamps
   * since which it does.
   */
  Map<String, Long> pending() {
    LiveFollower follows = follower;
    return follows == null ? new TreeMap<>() : follows.youngRuns();
  }

  /** The messages that say what holds. */
  List<AlertMessage> firing(long nowMicros, String server) {
    Map<String, AlertEpisode> byId = episodes();
    List<AlertMessage> messages = new ArrayList<>();
    for (Page page : pager.pages()) {
      AlertEpisode episode = byId.get(page.episode());
      if (page.state() == Page.State.FIRING && episode != null) {
        messages.add(message(page.repeated(episode), nowMicros, server));
      }
    }
    return messages;
  }

  /** The episodes that may still change, by their identities. */
  Map<String, AlertEpisode> episodes() {
    Map<String, AlertEpisode> byId = new HashMap<>();
    timeline.episodes().forEach(episode -> byId.put(episode.id(), episode));
    return byId;
  }

  /**
   * How far the evaluation can be relied on, in a few words; {@code ok} if it can.
   *
   * @param nowMicros on the server's clock
   */
  String health(long nowMicros) {
    if (error.isPresent()) {
      return "error: " + error.get();
    }
    LiveFollower follows = follower;
    if (follows == null || isReconciling()) {
      return "catching up";
    }
    if (!missing.isEmpty()) {
      return "partial: " + String.join(", ", missing.stream().sorted().toList()) + " silent";
    }
    return AlertHealth.of(parts.watermarks(), follows.reached().hlc(), nowMicros);
  }

  @Override
  public void columns(List<Column> columns) {
    reader.columns(columns);
  }

  @Override
  public void place(StreamPlace at) {
    place = at;
  }

  @Override
  public void found(long hlc) {
    foundHlc = hlc;
  }

  @Override
  public boolean row(Row row) {
    add(row);
    return true;
  }

  @Override
  public void retracted(long row, long hlc) {
    timeline.retract(row).forEach(this::remove);
  }

  @Override
  public void lost(long from, long until, String message) {
    lostFrom = Math.min(lostFrom, from);
  }

  @Override
  public void failed(RqlException reason) {
    broken(String.valueOf(reason.getMessage()).lines().findFirst().orElse(""));
  }

  @Override
  public void broken(String reason) {
    error = Optional.of(reason);
    closeFollower();
  }

  @Override
  public boolean takesWarnings() {
    return false;
  }

  @Override
  public void warning(String message) {}

  @Override
  public void notice(String sentence) {}

  @Override
  public void held(long micros) {}

  @Override
  public void end() {}

  @Override
  public void goingDown() {}

  private void closeFollower() {
    LiveFollower follows = follower;
    follower = null;
    if (follows != null) {
      follows.close();
    }
  }

  @Override
  public void close() {
    closeFollower();
  }
}
