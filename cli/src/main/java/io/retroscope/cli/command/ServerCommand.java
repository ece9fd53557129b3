// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli.command;

import io.retroscope.cli.option.AccessOption;
import io.retroscope.cli.option.AlignmentOptions;
import io.retroscope.cli.option.ClusterOption;
import io.retroscope.cli.option.DurationConverter;
import io.retroscope.cli.option.KafkaOption;
import io.retroscope.cli.option.OuterRowsOption;
import io.retroscope.cli.process.CommandException;
import io.retroscope.cli.process.ExitCode;
import io.retroscope.clock.PhysicalClock;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.server.app.ServerConfig;
import io.retroscope.server.health.FatalErrors;
import io.retroscope.server.store.Retention;
import io.retroscope.server.store.StoreOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command that runs a log server until the process is stopped. */
@Command(
    name = "server",
    description = "Run a log server, which collects events, stores them, and answers queries.",
    footer = {
      "",
      "Example:",
      "  retroscope server --data /var/lib/retroscope --port 7340",
      "  retroscope server --host 0.0.0.0 --tokens /etc/retroscope/tokens \\",
      "      --tls-cert /etc/retroscope/cert.pem --tls-key /etc/retroscope/key.pem",
      "  retroscope server --kafka broker1:9092,broker2:9092 --topic retroscope",
      "  retroscope server --cluster --kafka broker1:9092 --advertise http://127.0.0.1:7340 \\",
      "      --cluster-token-file /etc/retroscope/cluster-token",
    })
public final class ServerCommand implements Callable<Integer> {
  /** The variable that disables the warm-up of every server, such as those of tests. */
  private static final String NO_WARM_UP_VARIABLE = "RETROSCOPE_NO_WARM_UP";

  /** Read by {@code logback.xml}. */
  static final String LOG_LEVEL = "retroscope.log.level";

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--data",
      paramLabel = "FOLDER",
      defaultValue = "retroscope-data",
      description = "The data directory (default: ${DEFAULT-VALUE}).")
  private Path data = Path.of("");

  @Option(
      names = "--host",
      paramLabel = "ADDRESS",
      defaultValue = ServerConfig.DEFAULT_HOST,
      description = "The address to listen on (default: ${DEFAULT-VALUE}).")
  private String host = "";

  @Option(
      names = "--port",
      paramLabel = "PORT",
      defaultValue = "" + ServerConfig.DEFAULT_PORT,
      description = "The port, or 0 for any free port (default: ${DEFAULT-VALUE}).")
  private int port;

  @Mixin private AccessOption access = new AccessOption();

  @Option(
      names = "--idle-timeout",
      paramLabel = "DURATION",
      defaultValue = "1s",
      converter = DurationConverter.class,
      description = {
        "How long live queries wait for a silent node,",
        "unless its heartbeat interval is longer; above 100ms",
        "(default: ${DEFAULT-VALUE})."
      })
  private Duration idleTimeout = Duration.ZERO;

  @Option(
      names = "--restart-grace",
      paramLabel = "DURATION",
      defaultValue = "10s",
      converter = DurationConverter.class,
      description = {
        "How long after a start live queries wait for known",
        "nodes that had not stopped (default: ${DEFAULT-VALUE})."
      })
  private Duration restartGrace = Duration.ZERO;

  @Option(
      names = "--late-bound",
      paramLabel = "DURATION",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description = {
        "How late an event may come so that live queries",
        "correct their rows (default: ${DEFAULT-VALUE})."
      })
  private Duration lateBound = Duration.ZERO;

  @Option(
      names = "--recover",
      description = "Start without the data that damage has destroyed; answers include a warning.")
  private boolean recover;

  @Option(
      names = "--keep-for",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Remove events older than this (default: none).")
  private Optional<Duration> keepFor = Optional.empty();

  @Option(
      names = "--keep-bytes",
      paramLabel = "N",
      description = "Remove the oldest events when the files exceed this size (default: none).")
  private Optional<Long> keepBytes = Optional.empty();

  @Option(
      names = "--release-quarantine",
      description = {
        "Store events stamped too far in the future",
        "once the server's clock has passed their stamps."
      })
  private boolean releaseQuarantine;

  @Option(
      names = "--no-warm-up",
      description = {
        "Run no queries of its own after the start, which take",
        "five seconds of one processor and speed up the first",
        "queries of users; RETROSCOPE_NO_WARM_UP=true does the same."
      })
  private boolean noWarmUp;

  @Option(
      names = "--rules",
      paramLabel = "FOLDER",
      description = "Evaluate the alerts in the files *.rql of this folder; see docs/alerts.md.")
  private Optional<Path> rules = Optional.empty();

  @Option(
      names = "--receivers",
      paramLabel = "FILE",
      description = "The receivers of alerts, one a line: NAME KIND ADDRESS.")
  private Optional<Path> receivers = Optional.empty();

  @Mixin private OuterRowsOption outerRows = new OuterRowsOption();

  @Option(
      names = "--query-threads",
      paramLabel = "N",
      defaultValue = "1",
      description = {
        "The threads that all queries together may use for sealed history;",
        "each query has one in any case (default: ${DEFAULT-VALUE})."
      })
  private int queryThreads = 1;

  @Option(
      names = "--slow-query",
      paramLabel = "DURATION",
      defaultValue = "5s",
      converter = DurationConverter.class,
      description = "Log queries that take longer than this (default: ${DEFAULT-VALUE}).")
  private Duration slowQuery = Duration.ZERO;

  @Mixin private KafkaOption kafka = new KafkaOption();

  @Mixin private ClusterOption cluster = new ClusterOption();

  @Mixin private AlignmentOptions clocks = new AlignmentOptions();

  @Override
  public Integer call() throws InterruptedException {
    logProgress();
    FatalErrors.watchUncaught();
    ServerProcess server = start();
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  server.end().run();
                  ended.countDown();
                },
                "retroscope-shutdown"));
    spec.commandLine()
        .getOut()
        .println("log server ready at %s, data in %s".formatted(server.uri(), data));
    ended.await();
    return ExitCode.OK.number();
  }

  private ServerProcess start() {
    ServerConfig config = config();
    try {
      return ServerProcess.start(config, cluster, keepFor);
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }

  /** Must precede the creation of the first logger. */
  private void logProgress() {
    if (System.getProperty(LOG_LEVEL) == null) {
      System.setProperty(LOG_LEVEL, "INFO");
    }
    LoggerFactory.getLogger(ServerCommand.class).info("{}", spec.root().version()[0]);
  }

  private boolean warmsUp() {
    return !noWarmUp && !Boolean.parseBoolean(System.getenv(NO_WARM_UP_VARIABLE));
  }

  private Retention retention() {
    Optional<Retention> age =
        keepFor
            .filter(time -> !cluster.isUsed())
            .map(time -> Retention.ofAge(time, PhysicalClock.system()));
    Optional<Retention> size = keepBytes.map(Retention::ofSize);
    return Stream.concat(age.stream(), size.stream())
        .reduce(Retention::or)
        .orElse(Retention.KEEP_ALL);
  }

  private ServerConfig config() {
    try {
      ServerConfig.Builder config =
          ServerConfig.in(data)
              .host(host)
              .port(port)
              .access(access.options())
              .idleTimeout(idleTimeout)
              .restartGrace(restartGrace)
              .lateBound(lateBound)
              .slowQuery(slowQuery)
              .maxOuterRows(outerRows.limits().maxRows())
              .queryThreads(queryThreads)
              .alerts(new AlertOptions(rules, receivers))
              .alignment(clocks.settings());
      if (recover) {
        config.store(StoreOptions.DEFAULT.recovering());
      }
      config.retention(retention()).releaseQuarantined(releaseQuarantine).warmUp(warmsUp());
      kafka.options().ifPresent(config::kafka);
      return config.build();
    } catch (IllegalArgumentException e) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
    }
  }
}
