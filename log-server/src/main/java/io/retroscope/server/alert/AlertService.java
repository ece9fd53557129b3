// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.alert;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Value;
import io.retroscope.event.Value.NullValue;
import io.retroscope.event.Value.StructValue;
import io.retroscope.event.Value.TimestampValue;
import io.retroscope.rql.alert.AlertDefinition;
import io.retroscope.rql.alert.AlertEpisode;
import io.retroscope.rql.alert.AlertSettings;
import io.retroscope.rql.alert.Page;
import io.retroscope.rql.ast.Statement.CreateRule;
import io.retroscope.rql.cut.Watermark;
import io.retroscope.rql.diagnostic.Spelling;
import io.retroscope.rql.engine.QueryEngine;
import io.retroscope.rql.engine.statement.AlertRefusedException;
import io.retroscope.rql.engine.statement.AlertRegister;
import io.retroscope.rql.json.JsonText;
import io.retroscope.rql.parser.RqlParser;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.health.Health;
import io.retroscope.server.live.LiveFollowers;
import io.retroscope.server.live.PartitionException;
import io.retroscope.server.live.StepRests;
import io.retroscope.server.live.StreamingQuery;
import io.retroscope.server.store.AlertRecords;
import io.retroscope.server.store.StoreBusyException;
import io.retroscope.server.store.disk.StoreException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The alerts of a server: one thread evaluates all of them as the watermark moves, stores what
 * changes, and hands messages to the outboxes. Thread-safe.
 */
public final class AlertService implements AlertRegister, Health.Check, AutoCloseable {
  /** The largest number of alerts. */
  static final int MAX_ALERTS = 1_000;

  /** The interval at which alerts are decided while the watermark does not move. */
  private static final long PATIENCE_MILLIS = 250;

  private static final long RETRY_MILLIS = 1_000;
  private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MAX_HISTORY = 10_000;
  private static final long MAX_MUTE_MICROS = TimeUnit.DAYS.toMicros(365);
  private static final Logger logger = LoggerFactory.getLogger(AlertService.class);
  private static final Logger audit = LoggerFactory.getLogger("audit");

  private final StreamingQuery.Parts parts;
  private final LiveFollowers followers;
  private final AlertRecords store;
  private final PhysicalClock clock;
  private final Supplier<String> address;
  private final Optional<RuleFolder> rules;
  private final ReceiverFile receivers;
  private final List<Outbox> outboxes = new ArrayList<>();
  private final Map<String, AlertRunner> runners = new TreeMap<>();

  /** Alerts that are stored, and whose text has changed or is gone since. */
  private final Deque<AlertRunner> ending = new ArrayDeque<>();

  private final Thread thread = new Thread(this::run, "alerts");
  private final Thread deadMan = new Thread(this::signLife, "alerts-dead-man");

  /**
   * Held by the thread that evaluates or stores, before this object's monitor, which is free while
   * the store writes: that takes seconds if its disk or its broker is slow, and questions about
   * alerts need not wait for it. Fair, because the evaluation takes it again and again.
   */
  private final ReentrantLock storing = new ReentrantLock(true);

  /** The state stored before anything else is evaluated. */
  private Batch pending = new Batch();

  private Optional<String> rulesTrouble = Optional.empty();
  private Optional<String> storeTrouble = Optional.empty();
  private long turnedNanos;
  private volatile boolean closed;

  /**
   * Reads the rules, the receivers, and what an earlier process has stored; {@link #start} begins
   * the evaluation.
   *
   * @param parts with an engine of its own, whose queries no client sees or ends
   * @param address of the server, for messages
   * @throws IllegalArgumentException if a file cannot be used; the message says why
   */
  public AlertService(
      AlertOptions options,
      StreamingQuery.Parts parts,
      AlertRecords store,
      PhysicalClock clock,
      Supplier<String> address) {
    this.parts = parts;
    this.followers = new LiveFollowers(parts);
    this.store = store;
    this.clock = clock;
    this.address = address;
    this.rules = options.rules().map(RuleFolder::new);
    this.receivers = options.receivers().map(ReceiverFile::read).orElse(ReceiverFile.NONE);
    this.turnedNanos = parts.clock().nanos();
    Map<String, AlertDefinition> ofFiles = new LinkedHashMap<>();
    rules.ifPresent(
        folder -> {
          folder.read();
          ofFiles.putAll(folder.alerts(this::check));
        });
    receivers
        .receivers()
        .forEach(receiver -> outboxes.add(new Outbox(receiver, store, clocks(), sources())));
    load(ofFiles);
  }

  private Outbox.Sources sources() {
    return new Outbox.Sources(this::firing, this::explained);
  }

  /** A message with the explanation of its cut, if it fires and there is one. */
  private AlertMessage explained(AlertMessage message) {
    AlertDefinition alert;
    synchronized (this) {
      AlertRunner runner = runners.get(message.text("alert"));
      if (runner == null || !message.isFiring() || message.is("test")) {
        return message;
      }
      alert = runner.alert();
    }
    return message.explained(
        CutExplanation.of(
            parts.engine(),
            alert.explanation(
                HlcTimestamp.parse(message.text("startsHlc")), message.text("item"))));
  }

  private Outbox.Clocks clocks() {
    return new Outbox.Clocks(clock, parts.clock());
  }

  private void check(String stream) {
    parts.engine().prepare(stream);
  }

  /** Continues the alerts that are stored, and begins those of files that are not. */
  private void load(Map<String, AlertDefinition> ofFiles) {
    Map<String, AlertState> stored = new HashMap<>();
    Map<String, AlertDefinition> ofClients = new HashMap<>();
    store.readAlerts(
        AlertKeys.STATES,
        AlertKeys.STATES,
        (key, bytes) -> {
          AlertState state = AlertState.of(Batch.read(bytes));
          stored.put(key, state);
          if (state.isOfClient()) {
            AlertDefinition alert = definition(state.statement());
            ofClients.put(alert.name(), alert);
          }
          return true;
        });
    ofClients.forEach(
        (name, alert) -> {
          if (ofFiles.containsKey(name)) {
            throw new IllegalArgumentException(
                "the alert %s is defined by a file and was created by a client: rename it in the file, or start without the file and DROP ALERT %s"
                    .formatted(name, name));
          }
        });
    Map<String, AlertDefinition> all = new TreeMap<>(ofFiles);
    all.putAll(ofClients);
    if (all.size() > MAX_ALERTS) {
      throw new IllegalArgumentException(tooMany(all.size()));
    }
    all.forEach(
        (name, alert) -> begin(alert, Optional.ofNullable(stored.remove(AlertKeys.state(name)))));
    stored.forEach((key, state) -> ending.add(runner(removed(AlertKeys.alert(key)), state)));
  }

  private static String tooMany(int count) {
    return "%,d alerts are more than the limit of %,d".formatted(count, MAX_ALERTS);
  }

  private static AlertDefinition definition(String statement) {
    if (new RqlParser().read(statement).statement().orElse(null) instanceof CreateRule alert) {
      return AlertDefinition.of(alert, "", "");
    }
    throw new IllegalArgumentException("a stored alert is no CREATE ALERT: " + statement);
  }

  /** An alert of which nothing but its name is known any more. */
  private static AlertDefinition removed(String name) {
    return new AlertDefinition(name, "", AlertSettings.DEFAULT, "", "");
  }

  /** Continues an alert whose text is the same as before, or begins it. */
  private void begin(AlertDefinition alert, Optional<AlertState> stored) {
    boolean isSame = stored.isPresent() && stored.get().identity().equals(alert.identity());
    if (stored.isPresent() && !isSame) {
      ending.add(runner(alert, stored.get()));
    }
    AlertState state =
        isSame
            ? stored.get()
            : AlertState.beginning(
                alert.identity(),
                stored.map(AlertState::statement).orElse(""),
                stored.map(AlertState::by).orElse(""),
                parts.watermarks().openingHlc());
    runners.put(alert.name(), runner(alert, state));
    pending.put(AlertKeys.state(alert.name()), state.fields());
  }

  private AlertRunner runner(AlertDefinition alert, AlertState state) {
    return new AlertRunner(alert, state, store, parts, followers);
  }

  /**
   * Checks the files of alerts without evaluating any.
   *
   * @throws IllegalArgumentException if a file cannot be used; the message says why
   */
  public static void check(AlertOptions options, QueryEngine engine) {
    options
        .rules()
        .map(RuleFolder::new)
        .ifPresent(
            folder -> {
              folder.read();
              folder.alerts(engine::prepare);
            });
    options.receivers().ifPresent(ReceiverFile::read);
  }

  /** Begins the evaluation. */
  public void start() {
    outboxes.forEach(Outbox::start);
    thread.setDaemon(true);
    thread.start();
    if (receivers.deadMan().isPresent()) {
      deadMan.setDaemon(true);
      deadMan.start();
    }
  }

  /** The thread that evaluates. */
  public Thread thread() {
    return thread;
  }

  private void run() {
    Watermark reached = new Watermark(HlcTimestamp.MIN_PACKED, new TreeMap<>());
    StepRests rests = new StepRests();
    try {
      while (!closed) {
        if (isIdle()) {
          synchronized (this) {
            turnedNanos = parts.clock().nanos();
            wait(PATIENCE_MILLIS);
          }
        } else {
          Watermark next =
              parts.watermarks().awaitAbove(reached.hlc(), PATIENCE_MILLIS, () -> closed);
          reached = next;
          long began = parts.clock().nanos();
          boolean isStored = tryTurn(next);
          // A turn holds the locks that requests about alerts wait for.
          rest(rests.after(parts.clock().nanos() - began));
          if (!isStored) {
            pause(RETRY_MILLIS);
          }
        }
      }
    } catch (InterruptedException e) {
      // The server is shutting down.
    } catch (RuntimeException | Error e) {
      FatalErrors.check(e);
      logger.error("the evaluation of alerts has ended", e);
    }
  }

  /** Evaluates and stores; returns whether that is possible now. */
  private boolean tryTurn(Watermark next) {
    storing.lock();
    try {
      do {
        if (!storePending()) {
          return false;
        }
      } while (!isEvaluated(next));
      return storePending() && turned();
    } catch (PartitionException e) {
      return false;
    } finally {
      storing.unlock();
    }
  }

  /**
   * Evaluates all alerts, which reads what is stored. Returns false if a request has changed
   * something meanwhile, which must be stored first; it waits for that, so there are few. Once the
   * service is closed there is nothing to evaluate: the store that it reads is closed next.
   */
  private synchronized boolean isEvaluated(Watermark next) {
    if (closed) {
      return true;
    }
    if (!pending.isEmpty()) {
      return false;
    }
    try {
      evaluate(next);
    } catch (PartitionException e) {
      logger.info("alerts wait, and continue from what is stored: {}", e.getMessage());
      runners.values().forEach(AlertRunner::suspend);
      throw e;
    }
    return true;
  }

  private synchronized void rest(long nanos) throws InterruptedException {
    if (nanos > 0 && !closed) {
      TimeUnit.NANOSECONDS.timedWait(this, nanos);
    }
  }

  /** Waits for a time, or until the service is closed. */
  private synchronized void pause(long millis) throws InterruptedException {
    long until = parts.clock().nanos() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = millis; left > 0 && !closed; ) {
      wait(left);
      left = TimeUnit.NANOSECONDS.toMillis(until - parts.clock().nanos());
    }
  }

  /** Whether there is nothing to evaluate or to store, so that nodes need not hurry. */
  private synchronized boolean isIdle() {
    return runners.isEmpty() && pending.isEmpty() && ending.isEmpty();
  }

  private void evaluate(Watermark next) {
    for (AlertRunner ended = ending.poll(); ended != null; ended = ending.poll()) {
      ended.endUnopened(pending, clock, address);
    }
    runners.values().forEach(AlertRunner::prepare);
    followers.step(next);
    for (AlertRunner runner : runners.values()) {
      runner.reached();
      runner.changes(pending, clock.micros(), address.get());
    }
  }

  private synchronized boolean turned() {
    turnedNanos = parts.clock().nanos();
    return true;
  }

  /** Stores what has changed, and hands its messages over; returns whether that is possible. */
  private boolean storePending() {
    storing.lock();
    try {
      Batch batch = takePending();
      if (batch.isEmpty()) {
        return true;
      }
      Map<Outbox, List<Outbox.Entry>> entries = batch.entries(outboxes);
      boolean isStored = store(batch);
      if (isStored) {
        entries.forEach((outbox, own) -> own.forEach(outbox::stored));
      }
      return isStored;
    } finally {
      storing.unlock();
    }
  }

  private synchronized Batch takePending() {
    Batch taken = pending;
    pending = new Batch();
    return taken;
  }

  /** Stores a batch, or leaves it pending. */
  private boolean store(Batch batch) {
    boolean isStored = false;
    try {
      store.putAlerts(batch.records());
      isStored = true;
      boolean unused = storedOr(Optional.empty());
    } catch (StoreException | StoreBusyException e) {
      if (storedOr(Optional.of(String.valueOf(e.getMessage())))) {
        logger.warn("alerts are not evaluated, because nothing can be stored", e);
      }
    } finally {
      if (!isStored) {
        leavePending(batch);
      }
    }
    return isStored;
  }

  private synchronized void leavePending(Batch batch) {
    batch.addAll(pending);
    pending = batch;
  }

  /** Notes why nothing can be stored; returns whether that was possible before. */
  private synchronized boolean storedOr(Optional<String> trouble) {
    boolean wasPossible = storeTrouble.isEmpty();
    storeTrouble = trouble;
    return wasPossible;
  }

  /** Reads the files of rules again if they have changed. Never throws. */
  public void refresh() {
    if (rules.isEmpty()) {
      return;
    }
    try {
      reload(rules.get());
    } catch (RuntimeException e) {
      String reason = String.valueOf(e.getMessage());
      synchronized (this) {
        if (!rulesTrouble.equals(Optional.of(reason))) {
          logger.error("the files of rules are not used as they are now: {}", reason);
        }
        rulesTrouble = Optional.of(reason);
      }
    }
  }

  private void reload(RuleFolder folder) {
    if (!folder.read()) {
      return;
    }
    Map<String, AlertDefinition> ofFiles = folder.alerts(this::check);
    synchronized (this) {
      for (String name : ofFiles.keySet()) {
        AlertRunner known = runners.get(name);
        if (known != null && known.state().isOfClient()) {
          throw new IllegalArgumentException(
              "the alert %s was created by a client: DROP ALERT %s first".formatted(name, name));
        }
      }
      for (AlertRunner runner : List.copyOf(runners.values())) {
        AlertDefinition next = ofFiles.remove(runner.alert().name());
        if (next != null ? !next.equals(runner.alert()) : !runner.state().isOfClient()) {
          replace(runner, Optional.ofNullable(next));
        }
      }
      ofFiles.values().forEach(alert -> begin(alert, Optional.empty()));
      rulesTrouble = Optional.empty();
      logger.info("the files of rules were read again: {} alerts", runners.size());
    }
  }

  /** Replaces an alert by one with another text, or removes it. */
  private void replace(AlertRunner before, Optional<AlertDefinition> next) {
    before.close();
    String name = before.alert().name();
    runners.remove(name);
    Optional<AlertState> kept =
        next.filter(alert -> alert.identity().equals(before.alert().identity()))
            .map(alert -> before.state());
    if (kept.isEmpty()) {
      String reason = next.isPresent() ? AlertRunner.CHANGED : AlertRunner.REMOVED;
      before.end(pending, reason, clock.micros(), address.get());
    }
    next.ifPresent(alert -> begin(alert, kept));
  }

  private AlertRunner runner(String name) {
    AlertRunner runner = runners.get(name);
    if (runner == null) {
      throw new AlertRefusedException(
          "there is no alert " + name,
          Spelling.nearest(name, List.copyOf(runners.keySet()))
              .map(near -> "did you mean " + near + "?")
              .orElse("SHOW ALERTS lists the alerts"));
    }
    return runner;
  }

  @Override
  public void create(AlertDefinition alert, String text, boolean replaces, String by) {
    createPending(alert, text, replaces, by);
    requireStored();
  }

  private synchronized void createPending(
      AlertDefinition alert, String text, boolean replaces, String by) {
    AlertRunner known = runners.get(alert.name());
    if (known != null && !known.state().isOfClient()) {
      throw ofFile(alert.name());
    }
    if (known != null && !replaces) {
      throw new AlertRefusedException(
          "there is an alert " + alert.name(), "CREATE OR REPLACE ALERT replaces it");
    }
    if (known == null && runners.size() >= MAX_ALERTS) {
      throw new AlertRefusedException(tooMany(MAX_ALERTS + 1), "DROP ALERT removes one");
    }
    if (known != null) {
      replace(known, Optional.empty());
    }
    AlertState state =
        AlertState.beginning(alert.identity(), text, by, parts.watermarks().openingHlc());
    begin(alert, Optional.of(state));
    notifyAll();
  }

  private static AlertRefusedException ofFile(String name) {
    return new AlertRefusedException(
        "the alert %s is defined by a file of the server".formatted(name), "change the file");
  }

  /** Reports to a client that a change is not stored. */
  private void requireStored() {
    if (storePending()) {
      return;
    }
    String reason = storeTrouble().orElse("");
    throw store.hasEnded()
        ? new AlertRefusedException(
            "the change may be lost: " + reason, "see SHOW ALERTS in some seconds, and repeat it")
        : new AlertRefusedException(
            "the change is not stored yet: " + reason, "it will be, once the store can be written");
  }

  private synchronized Optional<String> storeTrouble() {
    return storeTrouble;
  }

  @Override
  public void drop(String alert, String by) {
    dropPending(alert);
    requireStored();
  }

  private synchronized void dropPending(String alert) {
    AlertRunner runner = runner(alert);
    if (!runner.state().isOfClient()) {
      throw ofFile(alert);
    }
    replace(runner, Optional.empty());
  }

  @Override
  public List<String> acknowledge(String alert, Optional<String> item, String by) {
    return acknowledge(alert, Page.ofItem(item), by);
  }

  /**
   * Acknowledges one episode of an alert.
   *
   * @return whether it holds; otherwise nothing has changed
   * @throws AlertRefusedException if there is no such alert
   */
  public boolean acknowledgeEpisode(String alert, String episode, String by) {
    return !acknowledge(alert, page -> page.episode().equals(episode), by).isEmpty();
  }

  private List<String> acknowledge(String alert, Predicate<Page> which, String by) {
    List<String> episodes;
    synchronized (this) {
      episodes = runner(alert).acknowledge(which, by, pending);
    }
    requireStored();
    audit.info("alert {} was acknowledged by {}: {}", alert, by, episodes);
    return episodes;
  }

  @Override
  public long mute(String alert, long micros, String by) {
    long until = micros == 0 ? 0 : clock.micros() + Math.min(micros, MAX_MUTE_MICROS);
    synchronized (this) {
      runner(alert).mute(until, pending);
    }
    requireStored();
    if (until == 0) {
      audit.info("alert {} is no longer muted, by {}", alert, by);
    } else {
      audit.info("alert {} was muted until {} by {}", alert, HlcTimestamp.isoMicros(until), by);
    }
    return until;
  }

  @Override
  public synchronized List<List<Value>> states() {
    List<List<Value>> rows = new ArrayList<>();
    for (AlertRunner runner : runners.values()) {
      List<Page> open = runner.openPages();
      Map<String, AlertEpisode> episodes = open.isEmpty() ? Map.of() : runner.episodes();
      Map<String, Long> pending = runner.pending();
      if (open.isEmpty() && pending.isEmpty()) {
        rows.add(row(runner, new Standing("inactive", "", OptionalLong.empty())));
      }
      for (Page page : open) {
        pending.remove(page.item());
        rows.add(row(runner, Standing.of(page, Optional.ofNullable(episodes.get(page.episode())))));
      }
      pending.forEach(
          (item, since) ->
              rows.add(row(runner, new Standing("pending", item, OptionalLong.of(since)))));
    }
    return rows;
  }

  /**
   * The state of an alert, or of an item.
   *
   * @param since packed
   */
  private record Standing(
      String state,
      String item,
      OptionalLong since,
      Optional<Page> page,
      Optional<AlertEpisode> episode) {
    Standing(String state, String item, OptionalLong since) {
      this(state, item, since, Optional.empty(), Optional.empty());
    }

    static Standing of(Page page, Optional<AlertEpisode> episode) {
      boolean isRecovering = episode.isPresent() && episode.get().fall().isPresent();
      return new Standing(
          isRecovering ? "recovering" : "firing",
          page.item(),
          OptionalLong.of(AlertKeys.riseHlc(page)),
          Optional.of(page),
          episode);
    }
  }

  private List<Value> row(AlertRunner runner, Standing now) {
    long muted = runner.state().mutedUntilMicros();
    Optional<Page> page = now.page();
    return List.of(
        Value.of(runner.alert().name()),
        now.item().isEmpty() ? NullValue.NULL : Value.of(now.item()),
        Value.of(now.state()),
        now.since().isEmpty() ? NullValue.NULL : new TimestampValue(now.since().getAsLong()),
        Value.of(runner.alert().settings().severity()),
        Value.of(health(runner)),
        page.map(Page::acknowledgedBy)
            .filter(by -> !by.isEmpty())
            .map(AlertService::value)
            .orElse(NullValue.NULL),
        muted > clock.micros() ? Value.of(HlcTimestamp.isoMicros(muted)) : NullValue.NULL,
        page.map(Page::episode).map(AlertService::value).orElse(NullValue.NULL),
        now.episode().<Value>map(known -> known.rise().cut()).orElse(NullValue.NULL));
  }

  private static Value value(String text) {
    return Value.of(text);
  }

  private String health(AlertRunner runner) {
    if (storeTrouble.isPresent()) {
      return "stalled: " + storeTrouble.get();
    }
    if (!isAlive()) {
      return "stalled: the evaluation does not proceed";
    }
    String own = runner.health(clock.micros());
    boolean isAsWritten = rulesTrouble.isEmpty() || runner.state().isOfClient();
    if (isAsWritten || own.startsWith("error")) {
      return own;
    }
    String place = rulesTrouble.get().lines().findFirst().orElse("").replaceFirst(":$", "");
    return "error: evaluated with its earlier text: "
        + place
        + (own.equals("ok") ? "" : "; " + own);
  }

  @Override
  public synchronized Map<String, Value> describe(String alert) {
    AlertRunner runner = runner(alert);
    AlertState state = runner.state();
    Map<String, Value> properties = new LinkedHashMap<>();
    properties.put("alert", Value.of(alert));
    properties.put("description", Value.of(runner.alert().description()));
    properties.put("query", Value.of(runner.alert().stream()));
    properties.put("identity", Value.of(runner.alert().identity()));
    properties.put("createdBy", Value.of(state.isOfClient() ? state.by() : "a file of rules"));
    properties.put("settings", Value.of(runner.alert().settings().text()));
    properties.put("begin", new TimestampValue(state.begin()));
    properties.put("reached", new TimestampValue(state.reachedHlc()));
    properties.put("health", Value.of(health(runner)));
    properties.put("notEvaluated", Value.of(state.notEvaluated()));
    properties.put("firing", Value.of((long) runner.openPages().size()));
    List<String> receivers = runner.alert().settings().receivers();
    for (Outbox outbox : outboxes.stream().filter(some -> some.isAmong(receivers)).toList()) {
      String trouble = outbox.trouble().map(reason -> ", not accepted: " + reason).orElse("");
      properties.put(
          "receiver " + outbox.receiver().name(),
          Value.of(
              "%d sent, %d waiting, %d dropped%s"
                  .formatted(
                      outbox.sentCount(), outbox.waitingCount(), outbox.droppedCount(), trouble)));
    }
    return properties;
  }

  /**
   * The latest episodes, the earliest of them first, as they are stored. Waits for a write that has
   * begun, so that no episode is missing that the states have named.
   *
   * @param alert of this alert; of all if empty
   * @param count the largest number
   */
  public List<StructValue> history(Optional<String> alert, int count) {
    List<String> names;
    awaitStored();
    synchronized (this) {
      names =
          alert
              .map(name -> List.of(runner(name).alert().name()))
              .orElseGet(() -> List.copyOf(runners.keySet()));
    }
    int most = Math.min(count, MAX_HISTORY);
    List<StructValue> all = new ArrayList<>();
    for (String name : names) {
      Deque<StructValue> latest = new ArrayDeque<>();
      String prefix = AlertKeys.pages(name);
      store.readAlerts(
          prefix,
          prefix,
          (key, bytes) -> {
            latest.add(Batch.read(bytes));
            if (latest.size() > most) {
              latest.remove();
            }
            return true;
          });
      all.addAll(latest);
    }
    all.sort(Comparator.comparingLong(page -> AlertKeys.riseHlc(Page.of(page))));
    return List.copyOf(all.subList(Math.max(0, all.size() - most), all.size()));
  }

  /** Waits until the evaluation that runs is stored, or cannot be. */
  private void awaitStored() {
    storing.lock();
    storing.unlock();
  }

  /**
   * Sends a marked message through each receiver of an alert, and returns what is wrong by the
   * receivers' names; an empty text if nothing is.
   *
   * @throws AlertRefusedException if there is no such alert
   */
  public Map<String, String> test(String alert) throws InterruptedException {
    AlertDefinition definition;
    synchronized (this) {
      definition = runner(alert).alert();
    }
    AlertMessage message = AlertMessage.test(definition, clock.micros(), address.get());
    Map<String, String> results = new LinkedHashMap<>();
    for (Outbox outbox : outboxes) {
      if (outbox.takes(message)) {
        results.put(outbox.receiver().name(), outbox.test(message).orElse(""));
      }
    }
    return results;
  }

  /** The messages of all that holds. */
  private synchronized List<AlertMessage> firing() {
    List<AlertMessage> all = new ArrayList<>();
    runners.values().forEach(runner -> all.addAll(runner.firing(clock.micros(), address.get())));
    return all;
  }

  private void signLife() {
    ReceiverFile.DeadMan receiver = receivers.deadMan().orElseThrow();
    try {
      while (!closed) {
        if (idleness().isEmpty()) {
          sign(receiver);
        }
        pause(receiver.every().toMillis());
      }
    } catch (InterruptedException e) {
      // The server is shutting down.
    }
  }

  private void sign(ReceiverFile.DeadMan receiver) throws InterruptedException {
    int count;
    synchronized (this) {
      count = runners.size();
    }
    try {
      String sign =
          JsonText.object(
              out -> {
                out.writeBooleanProperty("alive", true);
                out.writeNumberProperty("alerts", count);
              });
      receiver.sender().send(sign, "");
    } catch (IOException e) {
      logger.warn("the sign of life was not accepted: {}", e.getMessage());
    }
  }

  private synchronized boolean isAlive() {
    return thread.isAlive() && parts.clock().nanos() - turnedNanos < ALIVE_NANOS;
  }

  /** Why alerts are not evaluated, or not as the files say; empty if nothing is wrong. */
  @Override
  public synchronized Optional<String> trouble() {
    if (rulesTrouble.isPresent()) {
      return rulesTrouble.map(reason -> "the files of rules are wrong: " + reason);
    }
    return idleness();
  }

  /** Why alerts are not evaluated; empty if they are. */
  private synchronized Optional<String> idleness() {
    if (storeTrouble.isPresent()) {
      return storeTrouble.map(reason -> "alerts are not evaluated: " + reason);
    }
    return closed || isAlive()
        ? Optional.empty()
        : Optional.of("alerts are not evaluated: see the log");
  }

  /** The number of alerts. */
  public synchronized long alertCount() {
    return runners.size();
  }

  /** The number of episodes that hold. */
  public synchronized long firingCount() {
    return runners.values().stream().mapToLong(runner -> runner.openPages().size()).sum();
  }

  /** The number of alerts whose evaluation cannot be relied on at present. */
  public synchronized long doubtfulCount() {
    return runners.values().stream().filter(runner -> !health(runner).equals("ok")).count();
  }

  /** The number of messages that no receiver has accepted yet. */
  public long waitingCount() {
    return outboxes.stream().mapToLong(Outbox::waitingCount).sum();
  }

  /** The number of messages that were accepted. */
  public long sentCount() {
    return outboxes.stream().mapToLong(Outbox::sentCount).sum();
  }

  /** The number of deliveries that failed. */
  public long failedCount() {
    return outboxes.stream().mapToLong(Outbox::failedCount).sum();
  }

  /** The number of messages that were given up. */
  public long droppedCount() {
    return outboxes.stream().mapToLong(Outbox::droppedCount).sum();
  }

  @Override
  public void close() {
    closed = true;
    synchronized (this) {
      notifyAll();
    }
    parts.watermarks().wake();
    deadMan.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    outboxes.forEach(Outbox::close);
    synchronized (this) {
      runners.values().forEach(AlertRunner::close);
    }
  }
}
