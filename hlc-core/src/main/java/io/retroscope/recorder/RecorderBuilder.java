// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.clock.HybridLogicalClock.RemotePolicy;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.recorder.NodeState.Bounds;
import io.retroscope.sink.EventSink;
import io.retroscope.sink.FileSink;
import io.retroscope.sink.HttpSink;
import io.retroscope.sink.SinkProvider;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link Recorder}. A setting that is not made here is read from the environment,
 * otherwise from the system properties, otherwise the default applies:
 *
 * <table>
 * <caption>Settings in the order of precedence: builder, environment, system property</caption>
 * <tr><th>builder</th><th>environment</th><th>property</th><th>default</th></tr>
 * <tr><td>{@link #node}</td><td>RETROSCOPE_NODE</td><td>retroscope.node</td>
 *   <td>{@code <application>@<host>}</td></tr>
 * <tr><td></td><td>RETROSCOPE_APPLICATION</td><td>retroscope.application</td>
 *   <td>{@code spring.application.name}, else the main class or jar</td></tr>
 * <tr><td>{@link #file}</td><td>RETROSCOPE_FILE</td><td>retroscope.file</td>
 *   <td>none: to the server</td></tr>
 * <tr><td>{@link #server}</td><td>RETROSCOPE_SERVER</td><td>retroscope.server</td>
 *   <td>http://127.0.0.1:7340</td></tr>
 * <tr><td>{@link #stateDirectory}</td><td>RETROSCOPE_STATE_DIRECTORY</td>
 *   <td>retroscope.state.directory</td><td>none</td></tr>
 * <tr><td>{@link #fsync}</td><td>RETROSCOPE_FSYNC</td><td>retroscope.fsync</td>
 *   <td>false</td></tr>
 * <tr><td>{@link #resetClock}</td><td>RETROSCOPE_RESET_CLOCK</td>
 *   <td>retroscope.reset.clock</td><td>false</td></tr>
 * <tr><td>{@link #ringCapacity}</td><td>RETROSCOPE_RING_CAPACITY</td>
 *   <td>retroscope.ring.capacity</td><td>65536</td></tr>
 * <tr><td>{@link #ringMaxBytes}</td><td>RETROSCOPE_RING_MAX_BYTES</td>
 *   <td>retroscope.ring.max.bytes</td><td>64 MiB, at most 1/16 of the heap</td></tr>
 * <tr><td>{@link #heartbeatInterval}</td><td>RETROSCOPE_HEARTBEAT_MILLIS</td>
 *   <td>retroscope.heartbeat.millis</td><td>20</td></tr>
 * <tr><td>{@link #maxTextLength}</td><td>RETROSCOPE_MAX_TEXT_LENGTH</td>
 *   <td>retroscope.max.text.length</td><td>8192</td></tr>
 * <tr><td>{@link #maxOffset}</td><td>RETROSCOPE_MAX_OFFSET_MILLIS</td>
 *   <td>retroscope.max.offset.millis</td><td>60000</td></tr>
 * <tr><td>{@link #remotePolicy}</td><td>RETROSCOPE_REMOTE_POLICY</td>
 *   <td>retroscope.remote.policy</td><td>refuse</td></tr>
 * <tr><td>{@link #trustRemote}</td><td>RETROSCOPE_TRUST</td>
 *   <td>retroscope.trust</td><td>on</td></tr>
 * <tr><td>{@link #messages}</td><td>RETROSCOPE_MESSAGES</td>
 *   <td>retroscope.messages</td><td>on: all; off: none; a share: a sample</td></tr>
 * <tr><td>{@link #closeTimeout}</td><td>RETROSCOPE_CLOSE_TIMEOUT_MILLIS</td>
 *   <td>retroscope.close.timeout.millis</td><td>5000</td></tr>
 * <tr><td>{@link #strict}</td><td>RETROSCOPE_STRICT</td><td>retroscope.strict</td>
 *   <td>false</td></tr>
 * <tr><td></td><td>RETROSCOPE_MAX_MEMORY_BYTES</td><td>retroscope.max.memory.bytes</td>
 *   <td>33554432, waiting for the log server</td></tr>
 * <tr><td></td><td>RETROSCOPE_MAX_SPILL_BYTES</td><td>retroscope.max.spill.bytes</td>
 *   <td>1073741824, waiting in the state directory</td></tr>
 * <tr><td></td><td>RETROSCOPE_TOKEN</td><td>retroscope.token</td>
 *   <td>none: the bearer token for the log server</td></tr>
 * <tr><td></td><td>RETROSCOPE_TOKEN_FILE</td><td>retroscope.token.file</td>
 *   <td>none: the file that contains it, instead</td></tr>
 * <tr><td></td><td>RETROSCOPE_CA</td><td>retroscope.ca</td>
 *   <td>the JVM's: PEM file of the authorities that may have signed an https server's
 *   certificate</td></tr>
 * <tr><td></td><td>RETROSCOPE_CERT, RETROSCOPE_KEY</td><td>retroscope.cert, retroscope.key</td>
 *   <td>none: PEM files of the own certificate and its key, for servers that want one</td></tr>
 * <tr><td></td><td>RETROSCOPE_JMX</td><td>retroscope.jmx</td>
 *   <td>true: visible as {@link RecorderMXBean}</td></tr>
 * </table>
 *
 * <p>An invalid setting does not stop the service: it is logged as an error and reported in {@link
 * Recorder#health}, and the default is used. If no destination for events remains, the recorder
 * records nothing, but its clock works. If the state directory is damaged or in use, the order
 * relative to the node's earlier runs is not guaranteed. With {@link #strict}, {@link #build}
 * throws in all of these cases.
 *
 * <p>For tests and demonstrations only, RETROSCOPE_CLOCK_SKEW_MICROS (retroscope.clock.skew.micros)
 * shifts the node's clock by this amount.
 *
 * <p>Not thread-safe.
 */
public final class RecorderBuilder {
  Settings settings = Settings.ofProcess();
  Supplier<@Nullable String> host = NodeName::ofHost;
  LongSupplier nanos = System::nanoTime;
  @Nullable String node;
  @Nullable EventSink sink;
  @Nullable Path file;
  @Nullable URI server;
  @Nullable ClassLoader sinkProviders = RecorderBuilder.class.getClassLoader();
  @Nullable Path stateDirectory;
  @Nullable Bounds bounds;
  @Nullable Boolean fsync;
  @Nullable Boolean resetClock;
  @Nullable PhysicalClock physicalClock;
  @Nullable Integer ringCapacity;
  @Nullable Long ringMaxBytes;
  @Nullable Duration heartbeatInterval;
  @Nullable Integer maxTextLength;
  @Nullable Duration maxOffset;
  @Nullable RemotePolicy remotePolicy;
  @Nullable Boolean trustRemote;
  @Nullable Double messages;
  @Nullable Duration closeTimeout;
  @Nullable Boolean strict;
  boolean closeAtShutdown;

  RecorderBuilder() {}

  /** The node's name, 1 to 200 characters, unique in the cluster and the same at every start. */
  public RecorderBuilder node(String node) {
    this.node = node;
    return this;
  }

  /** The destination of the blocks, instead of a file or a server. The recorder closes it. */
  public RecorderBuilder sink(EventSink sink) {
    this.sink = sink;
    return this;
  }

  /** Records into a file, see {@link FileSink}. */
  public RecorderBuilder file(Path file) {
    this.file = file;
    return this;
  }

  /**
   * Sends to the log server at this address, see {@link HttpSink}, or through the {@link
   * SinkProvider} for the address's scheme.
   */
  public RecorderBuilder server(URI server) {
    this.server = server;
    return this;
  }

  /** The class loader in which sink providers are looked up; by default that of this class. */
  public RecorderBuilder sinkProviders(ClassLoader loader) {
    this.sinkProviders = loader;
    return this;
  }

  /**
   * The directory for the state that must survive a restart: the bound above which the next stamps
   * start, and blocks that the log server has not acknowledged yet. Used by this node only; created
   * if it is missing.
   *
   * <p>If the bound cannot be stored in time, recording continues and events are marked, see {@link
   * io.retroscope.event.EventMark#UNBOUND}.
   */
  public RecorderBuilder stateDirectory(Path directory) {
    this.stateDirectory = directory;
    return this;
  }

  /**
   * Whether the state also survives a power loss, at ten fsyncs per second. The spill survives the
   * end of the process only.
   */
  public RecorderBuilder fsync(boolean fsync) {
    this.fsync = fsync;
    return this;
  }

  /**
   * Whether to start at the machine's time although the node has given out later stamps, which
   * abandons the order relative to these. The incarnation's name ends in "-reset".
   */
  public RecorderBuilder resetClock(boolean resetClock) {
    this.resetClock = resetClock;
    return this;
  }

  /** The physical clock of the hybrid logical clock; for tests. */
  public RecorderBuilder physicalClock(PhysicalClock clock) {
    this.physicalClock = clock;
    return this;
  }

  /** The maximum number of events waiting to be drained: a power of two from 2 to 2^24. */
  public RecorderBuilder ringCapacity(int capacity) {
    this.ringCapacity = capacity;
    return this;
  }

  /**
   * The maximum memory of the events waiting to be drained, in bytes, 1 or more. Events beyond that
   * are dropped as if the ring were full; changes to numbers and booleans hold no memory.
   */
  public RecorderBuilder ringMaxBytes(long bytes) {
    this.ringMaxBytes = bytes;
    return this;
  }

  /**
   * The time for which events are gathered, and the heartbeat interval of an idle node; a sink may
   * be slower while there is no live reader, see {@link EventSink#pace}.
   */
  public RecorderBuilder heartbeatInterval(Duration interval) {
    this.heartbeatInterval = interval;
    return this;
  }

  /** The limit to which texts are truncated, in characters, 1 or more. */
  public RecorderBuilder maxTextLength(int length) {
    this.maxTextLength = length;
    return this;
  }

  /** The maximum offset of a remote stamp ahead of this node's clock. */
  public RecorderBuilder maxOffset(Duration maxOffset) {
    this.maxOffset = maxOffset;
    return this;
  }

  /** The policy for remote stamps beyond the maximum offset. */
  public RecorderBuilder remotePolicy(RemotePolicy policy) {
    this.remotePolicy = policy;
    return this;
  }

  /**
   * Whether the stamps of incoming requests move this node's clock; true by default. Set it to
   * false if requests come from outside the cluster, because any sender could then move the clocks
   * of all nodes forward. It applies to servlet filters, gRPC servers and OpenTelemetry's
   * propagator unless they are configured individually, see {@link Recorder#ingress(boolean)}.
   * Responses to the node's own requests are always followed.
   */
  public RecorderBuilder trustRemote(boolean trustRemote) {
    this.trustRemote = trustRemote;
    return this;
  }

  /**
   * The share of the messages that are recorded: 1, the default, for all; 0 for none; otherwise a
   * sample, which a hash of each message's identity selects, so that both ends record the same ones
   * if all nodes have the same share. All messages carry the clock, so the order of all other
   * events is not affected. The node's start is followed by the share, and queries over its
   * messages have a warning. Messages that are not recorded are no evidence for clock alignment,
   * and marks of refused stamps are not visible on them.
   *
   * @param share 0, or 0.001 to 1
   */
  public RecorderBuilder messages(double share) {
    this.messages = share;
    return this;
  }

  /** The time limit for which {@link Recorder#close()} waits for undelivered blocks. */
  public RecorderBuilder closeTimeout(Duration timeout) {
    this.closeTimeout = timeout;
    return this;
  }

  /** Whether to close the recorder when the JVM shuts down; false by default. */
  public RecorderBuilder closeAtShutdown(boolean closeAtShutdown) {
    this.closeAtShutdown = closeAtShutdown;
    return this;
  }

  /** Whether {@link #build} throws for invalid settings and unusable files; false by default. */
  public RecorderBuilder strict(boolean strict) {
    this.strict = strict;
    return this;
  }

  /**
   * The source of the settings that the environment does not have, in place of the system
   * properties: a framework's own configuration.
   *
   * @param properties the value of a property such as {@code retroscope.state.directory}, null if
   *     it is not set
   */
  public RecorderBuilder properties(Function<String, @Nullable String> properties) {
    settings = settings.withProperties(properties);
    return this;
  }

  /** The source of the host's name, which supplies null if it has none. */
  RecorderBuilder host(Supplier<@Nullable String> host) {
    this.host = host;
    return this;
  }

  RecorderBuilder settings(Settings settings) {
    this.settings = settings;
    return this;
  }

  RecorderBuilder bounds(Bounds bounds) {
    this.bounds = bounds;
    return this;
  }

  RecorderBuilder nanos(LongSupplier nanos) {
    this.nanos = nanos;
    return this;
  }

  /**
   * Starts recording.
   *
   * @throws IllegalArgumentException if a value given to this builder is out of range; the message
   *     names it. In strict mode also for an invalid setting.
   * @throws io.retroscope.clock.ClockBoundException in strict mode, if the node's clock cannot
   *     start, see {@link #resetClock}
   * @throws UncheckedIOException in strict mode, if a file or directory cannot be used
   */
  public Recorder build() {
    Recorder recorder = start();
    recorder.reportProblems();
    return recorder;
  }

  /** Builds without logging anything, because logging may depend on the recorder. */
  Recorder start() {
    RecorderPlanner planner = new RecorderPlanner(this);
    if (!closeAtShutdown) {
      return new Recorder(planner.plan());
    }
    ShutdownHook hook = ShutdownHook.register();
    if (hook == null) {
      return new Recorder(planner.silentPlan("the JVM is ending"));
    }
    try {
      Recorder recorder = new Recorder(planner.plan());
      recorder.closedBy(hook);
      return recorder;
    } catch (RuntimeException | Error e) {
      hook.remove();
      throw e;
    }
  }

  /**
   * A new incarnation: the stamp of the start orders a node's incarnations, and the random bits
   * distinguish clones.
   */
  static String incarnation(long startHlc) {
    int random = new SecureRandom().nextInt();
    return Long.toHexString(HlcTimestamp.toWire(startHlc)) + "-" + Integer.toHexString(random);
  }
}
