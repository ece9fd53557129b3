// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcReading;
import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock;
import io.retroscope.sink.EventSink;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;

/**
 * The entry point for recording a service's events. One process is one node, with one recorder and
 * one clock. Thread-safe.
 *
 * <pre>{@code
 * Recorder recorder = Recorder.fromEnvironment();
 * EventLog log = recorder.log("setd");
 * log.set("r1", version);                       // a variable of this node changes
 * message.hlc = recorder.send("zk2", id);       // the clock travels with the message
 * recorder.receive("zk2", id, message.hlc);     // and moves the clock of the receiver
 * }</pre>
 *
 * <p>Recording never throws into the service, and never blocks: when the ring is full, events are
 * dropped, counted, and visible as gaps in the sequence numbers. After {@link #close()}, calls are
 * ignored and counted; the clock remains usable.
 *
 * <p>To record a number takes about 60 ns and allocates nothing; a thread of the recorder does
 * everything else.
 */
public final class Recorder implements AutoCloseable {
  /** The log of the messages that {@link #send} and {@link #receive} record. */
  public static final String MESSAGE_LOG = "net";

  /** The log in which a node reports on its own tracing; see {@link #caveat}. */
  public static final String OWN_LOG = "retroscope";

  /** The variable of {@link #OWN_LOG} with the caveats, a set of texts. */
  public static final String CAVEATS = "caveats";

  /**
   * The variable of {@link #OWN_LOG} with the share of the messages that a node records; unset if
   * it records all. See {@link RecorderBuilder#messages}.
   */
  public static final String MESSAGES = "messages";

  /** The number of cached logs; each use of a further one is more expensive. */
  static final int MAX_CACHED_LOGS = 1_000;

  private final String node;
  private final HybridLogicalClock clock;
  private final EventSink sink;
  private final LongSupplier nanos;
  private final boolean trustRemote;
  private final MessageSample sample;

  private final Counters counters = new Counters();
  private final Admission admission;
  private final Lifecycle lifecycle;
  private final ConcurrentMap<String, EventLog> logs = new ConcurrentHashMap<>();
  private final EventLog messages;
  private final Caveats caveats;
  private final ProcessTies ties;

  Recorder(RecorderPlan plan) {
    node = plan.node();
    clock = plan.clock();
    sink = plan.sink();
    nanos = plan.nanos();
    trustRemote = plan.trustRemote();
    sample = plan.sample();
    admission = new Admission(plan.maxTextLength(), counters, nanos);
    messages = new EventLog(this, MESSAGE_LOG, true);
    caveats = new Caveats(new EventLog(this, OWN_LOG, true));
    lifecycle = new Lifecycle(plan, admission, counters);
    ties = new ProcessTies(this, plan);
    plan.caveats().forEach(this::caveat);
  }

  /** A builder; options that are not set come from the environment, see {@link RecorderBuilder}. */
  public static RecorderBuilder builder() {
    return new RecorderBuilder();
  }

  /**
   * The process's only recorder, configured by the environment and the system properties, and
   * closed when the JVM ends: the same as {@link #shared}. Invalid settings do not make it throw,
   * see {@link RecorderBuilder}; {@link #health} reports them.
   *
   * @throws IllegalArgumentException if {@code strict} is set and a setting is invalid
   */
  public static Recorder fromEnvironment() {
    return shared();
  }

  /**
   * The process's only recorder: the one passed to {@link #share}, or otherwise one created from
   * the environment by the first call. It is used by integrations that a framework instantiates by
   * class name.
   *
   * <p>It is shared until it is closed. The first call after that creates another from the
   * environment, a new incarnation of the node, and logs this; holders of the closed recorder no
   * longer record. During the JVM's shutdown no other is created: calls return the closed one, or
   * one that does not record.
   *
   * @throws IllegalArgumentException as {@link #fromEnvironment}
   */
  public static Recorder shared() {
    return SharedRecorder.get();
  }

  /** Makes this the recorder that {@link #shared} returns. */
  public Recorder share() {
    SharedRecorder.set(this);
    return this;
  }

  /** The node's name. */
  public String node() {
    return node;
  }

  /** An identifier of this run of the node. */
  public String incarnation() {
    return lifecycle.run.incarnation;
  }

  /** The node's only clock. */
  public HybridLogicalClock clock() {
    return clock;
  }

  /** A log by its name, 1 to 1000 characters; events of a log with an invalid name are refused. */
  public EventLog log(String name) {
    EventLog known = Admission.isName(name) ? logs.get(name) : null;
    if (known != null) {
      return known;
    }
    boolean keep = Admission.isName(name) && logs.size() < MAX_CACHED_LOGS;
    EventLog log = new EventLog(this, name, keep);
    if (keep) {
      EventLog earlier = logs.putIfAbsent(name, log);
      return earlier == null ? log : earlier;
    }
    return log;
  }

  /** Advances the clock without recording anything, and returns the packed stamp. */
  public long tick() {
    return clock.tick();
  }

  /**
   * Advances the clock past a remote stamp, without recording anything. A stamp too far ahead is
   * handled by the clock's policy; this method never throws.
   *
   * @return the packed stamp
   */
  public long observe(long remoteHlc) {
    HlcReading reading = new HlcReading();
    clock.observe(remoteHlc, reading);
    return reading.hlc;
  }

  /**
   * Records the sending of a message that is identified by the stamp it carries; the counterpart of
   * {@link #receive(String, long)}.
   *
   * @param to the receiving node, empty if unknown
   * @return the packed stamp for the message to carry
   */
  public long send(String to) {
    return messages.send(to, "");
  }

  /**
   * Records the receipt of a message that is identified by the stamp it carries, and moves the
   * clock past that stamp.
   *
   * @param from the sending node, empty if unknown
   * @param remoteHlc the packed stamp that the message carries
   * @return the packed stamp of the receive
   */
  public long receive(String from, long remoteHlc) {
    return messages.receive(from, remoteHlc);
  }

  /** {@link EventLog#send} in the log {@link #MESSAGE_LOG}. */
  public long send(String to, String id) {
    return messages.send(to, id);
  }

  /** {@link EventLog#receive} in the log {@link #MESSAGE_LOG}. */
  public long receive(String from, String id, long remoteHlc) {
    return messages.receive(from, id, remoteHlc);
  }

  /**
   * Records that query results about this node must carry a warning from now on, because its
   * tracing is incomplete, for example "the link to the followers is not traced". Repeating the
   * same text has no effect.
   *
   * @param text completes "node n: ..."; truncated to 200 characters
   */
  public void caveat(String text) {
    caveats.add(text);
  }

  /** Records that a {@link #caveat} no longer applies. */
  public void clearCaveat(String text) {
    caveats.remove(text);
  }

  /**
   * Counts an event that an integration should have recorded and could not. It consumes a sequence
   * number, so that queries about this node report a gap.
   */
  public void missed() {
    counters.missed.increment();
    lifecycle.run.ring.skip();
  }

  /** The entry point for stamps of requests, see {@link RecorderBuilder#trustRemote}. */
  public Ingress ingress() {
    return ingress(trustRemote);
  }

  /** An entry point that is trusted or not, regardless of the recorder's settings. */
  public Ingress ingress(boolean trusted) {
    return new Ingress(this, counters.untrusted, trusted);
  }

  MessageSample sample() {
    return sample;
  }

  Admission admission() {
    return admission;
  }

  /**
   * Counts an event that cannot be recorded as it is. It takes a sequence number, so that queries
   * over this node report a gap.
   */
  void countRefused() {
    counters.refused.increment();
    lifecycle.run.ring.skip();
  }

  void countTruncated() {
    counters.truncated.increment();
  }

  EventWriter writer() {
    return lifecycle.run.writer;
  }

  /** The statistics of the calls so far. */
  public RecorderStatistics statistics() {
    return lifecycle.statistics();
  }

  /** The recorder's state: whether it records, and with which losses. */
  public RecorderHealth health() {
    return lifecycle.health(caveats.texts());
  }

  void reportProblems() {
    lifecycle.reportProblems();
  }

  /**
   * Waits until the sink has delivered everything recorded before the call.
   *
   * @return false if the timeout elapsed first, if recorded events were lost since the last flush
   *     that reported a loss, or if this recorder cannot record
   */
  public boolean flush(Duration timeout) {
    long start = nanos.getAsLong();
    if (lifecycle.isSilent() || !lifecycle.run.drainer.flush(timeout.toNanos())) {
      return false;
    }
    return sink.flush(timeout.minusNanos(nanos.getAsLong() - start));
  }

  /**
   * Starts a new incarnation of the node. A process that continues from a copy of another process's
   * memory must call this before anything else, because two processes with the same incarnation
   * would give the same numbers to different events. It is called automatically after a restore
   * that {@code org.crac} or {@code jdk.crac} reports. For all queries, the node's variables are
   * unset until they are set again.
   */
  public void restarted() {
    if (lifecycle.restart()) {
      caveats.repeat();
    }
  }

  /** Ends the incarnation before the process's memory is copied. */
  void suspend() {
    lifecycle.suspend();
  }

  void closedBy(ShutdownHook hook) {
    ties.add(hook);
  }

  /**
   * Records the node's stop, passes all events to the sink and closes the sink. Blocks that are
   * undelivered after the close timeout are spilled by the sink or lost. Losses are logged, and
   * during the JVM's shutdown also written to standard error. Never throws; idempotent; a second
   * call returns when the first has finished.
   *
   * <p>The clock remains usable for messages in flight, but without a bound: stamps given out later
   * are not guaranteed to be below those of the node's next run.
   */
  @Override
  public void close() {
    if (lifecycle.close()) {
      ties.release();
    }
  }

  /** The node and its incarnation, for log messages. */
  @Override
  public String toString() {
    return "Recorder[" + node + ", " + incarnation() + ", " + HlcTimestamp.text(clock.last()) + "]";
  }
}
