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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Says how a {@link Recorder} is to work. Whatever is not set here comes from the environment, else
 * from the system properties, else from the default:
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
 *   <td>none: the file that holds it, instead</td></tr>
 * <tr><td></td><td>RETROSCOPE_CA</td><td>retroscope.ca</td>
 *   <td>the JVM's: PEM file of the authorities that may have signed an https server's
 *   certificate</td></tr>
 * <tr><td></td><td>RETROSCOPE_CERT, RETROSCOPE_KEY</td><td>retroscope.cert, retroscope.key</td>
 *   <td>none: PEM files of the own certificate and its key, for servers that want one</td></tr>
 * <tr><td></td><td>RETROSCOPE_JMX</td><td>retroscope.jmx</td>
 *   <td>true: visible as {@link RecorderMXBean}</td></tr>
 * </table>
 *
 * <p>A wrong setting does not stop the service: it is reported in the log as an error and in {@link
 * Recorder#health}, and the default is used. Where it leaves no place for events to go, the
 * recorder records nothing; its clock works. A state directory that is damaged or in use leaves the
 * order with the node's earlier runs unproven. With {@link #strict}, {@link #build} throws in all
 * of these cases.
 *
 * <p>For tests and demonstrations only, RETROSCOPE_CLOCK_SKEW_MICROS (retroscope.clock.skew.micros)
 * makes the node's clock wrong by so much.
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
  @Nullable Duration closeTimeout;
  @Nullable Boolean strict;
  boolean closeAtShutdown;

  RecorderBuilder() {}

  /** The node's name, 1 to 200 characters, unique in the cluster and the same at every start. */
  public RecorderBuilder node(String node) {
    this.node = node;
    return this;
  }

  /** Where the blocks go, instead of to a file or a server. The recorder closes it. */
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
   * Sends to the log server at this address, see {@link HttpSink}; or to where a {@link
   * SinkProvider} for the address's scheme says.
   */
  public RecorderBuilder server(URI server) {
    this.server = server;
    return this;
  }

  /** Where sink providers are looked for; by default where this class comes from. */
  public RecorderBuilder sinkProviders(ClassLoader loader) {
    this.sinkProviders = loader;
    return this;
  }

  /**
   * Where the node keeps what must survive a restart: the bound above which its next stamps begin,
   * and what the log server has not taken yet. Of this node alone; created where it is missing.
   *
   * <p>If the bound cannot be stored in time, recording continues and events are marked as unbound,
   * see {@link io.retroscope.event.EventMark#UNBOUND}.
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
   * Whether to begin at the machine's time although the node has given out later stamps, and so
   * give up the order with these. The incarnation's name ends in "-reset".
   */
  public RecorderBuilder resetClock(boolean resetClock) {
    this.resetClock = resetClock;
    return this;
  }

  /** The clock beneath the hybrid logical clock; for tests. */
  public RecorderBuilder physicalClock(PhysicalClock clock) {
    this.physicalClock = clock;
    return this;
  }

  /** How many events wait to be drained at most: a power of two from 2 to 2^24. */
  public RecorderBuilder ringCapacity(int capacity) {
    this.ringCapacity = capacity;
    return this;
  }

  /**
   * How many bytes the events that wait to be drained may hold at most, 1 or more. Events beyond
   * that are dropped as from a full ring; changes to numbers and booleans hold nothing.
   */
  public RecorderBuilder ringMaxBytes(long bytes) {
    this.ringMaxBytes = bytes;
    return this;
  }

  /**
   * How long events are gathered, and how often an idle node is heard from; a sink may be slower
   * while nobody listens, see {@link EventSink#pace}.
   */
  public RecorderBuilder heartbeatInterval(Duration interval) {
    this.heartbeatInterval = interval;
    return this;
  }

  /** Where texts are cut, in characters, 1 or more. */
  public RecorderBuilder maxTextLength(int length) {
    this.maxTextLength = length;
    return this;
  }

  /** How far a remote stamp may be ahead of this node's clock. */
  public RecorderBuilder maxOffset(Duration maxOffset) {
    this.maxOffset = maxOffset;
    return this;
  }

  /** What happens to remote stamps further ahead. */
  public RecorderBuilder remotePolicy(RemotePolicy policy) {
    this.remotePolicy = policy;
    return this;
  }

  /**
   * Whether the stamps of incoming requests move this node's clock; true by default. Set to false
   * where requests come from outside the cluster: anyone could set the clocks of all nodes forward.
   * It decides for servlet filters, gRPC servers and OpenTelemetry's propagator, unless these are
   * told otherwise, see {@link Recorder#ingress(boolean)}. Answers to the node's own requests are
   * followed in any case.
   */
  public RecorderBuilder trustRemote(boolean trustRemote) {
    this.trustRemote = trustRemote;
    return this;
  }

  /** How long {@link Recorder#close()} waits for what is not delivered yet. */
  public RecorderBuilder closeTimeout(Duration timeout) {
    this.closeTimeout = timeout;
    return this;
  }

  /** Whether to close the recorder when the JVM ends in an orderly way; false by default. */
  public RecorderBuilder closeAtShutdown(boolean closeAtShutdown) {
    this.closeAtShutdown = closeAtShutdown;
    return this;
  }

  /**
   * Whether {@link #build} throws for wrong settings and for files that cannot be used; false by
   * default.
   */
  public RecorderBuilder strict(boolean strict) {
    this.strict = strict;
    return this;
  }

  /** Where the host's name comes from; null if it has none. */
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
   *     names it. If strict, also for a setting.
   * @throws io.retroscope.clock.ClockBoundException if strict and the node's clock cannot begin,
   *     see {@link #resetClock}
   * @throws UncheckedIOException if strict and a file or directory cannot be used
   */
  public Recorder build() {
    Recorder recorder = start();
    recorder.reportProblems();
    return recorder;
  }

  /** Builds without a word in the log, which may depend on the recorder. */
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

  /** The start's stamp orders a node's incarnations; the random bits tell clones apart. */
  static String incarnation(long startHlc) {
    int random = new SecureRandom().nextInt();
    return Long.toHexString(HlcTimestamp.toWire(startHlc)) + "-" + Integer.toHexString(random);
  }
}
