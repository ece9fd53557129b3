// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.core.importer.Locations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A test of the module structure in {@code docs/architecture.md}. */
class ModulePictureTest {
  private static final String[] CORE = {
    "io.retroscope.clock..",
    "io.retroscope.event..",
    "io.retroscope.recorder..",
    "io.retroscope.sink..",
    "io.retroscope.context.."
  };

  /**
   * The classes that may read the machine's clock, sleep, or draw random numbers without a seed,
   * with the reason. All others take time and chance as parameters.
   */
  private static final Map<String, String> MAY_READ_TIME_AND_CHANCE =
      Map.ofEntries(
          Map.entry("io.retroscope.clock.WallClock", "is the reader of physical time"),
          Map.entry("io.retroscope.recorder.RecorderBuilder", "an incarnation has random bits"),
          Map.entry("io.retroscope.sink.DeliveringSinkBuilder", "has a stopwatch by default"),
          Map.entry("io.retroscope.server.live.MonotonicClock", "is the server's stopwatch"),
          Map.entry("io.retroscope.server.live.StreamingQuery", "waits before it tries again"),
          Map.entry("io.retroscope.rql.engine.QueryEngine", "EXPLAIN ANALYZE shows its time"),
          Map.entry("io.retroscope.cli.shell.ShellClock", "is the stopwatch of commands"),
          Map.entry("io.retroscope.cli.option.ReadingProgress", "shows the progress of reading"),
          Map.entry("io.retroscope.cli.command.CheckCommand", "follows a server for a while"),
          Map.entry("io.retroscope.cli.command.ReportCommand", "measures its rules"),
          Map.entry("io.retroscope.cli.command.AlertsCommand", "shows alerts again and again"),
          Map.entry("io.retroscope.cli.sound.AlertListening", "looks at alerts again and again"),
          Map.entry(
              "io.retroscope.cli.connection.EventUpload", "waits until events can be queried"),
          Map.entry("io.retroscope.recordings.file.ConvertedCopies", "notes when a copy was used"),
          Map.entry("io.retroscope.clock.HybridLogicalClock", "waits for a clock that is behind"),
          Map.entry("io.retroscope.clock.StoredLimit", "pauses between attempts to store"),
          Map.entry("io.retroscope.recorder.Pacing", "paces the drainer's thread"),
          Map.entry("io.retroscope.recorder.Drainer", "gives a slow writer a moment"),
          Map.entry("io.retroscope.rql.client.ReconnectLoop", "waits before it connects again"),
          Map.entry(
              "io.retroscope.contract.browser.HeadlessBrowser", "waits for a page, in tests only"),
          Map.entry("io.retroscope.server.app.ClusterAlerts", "a pause after a failure"),
          Map.entry("io.retroscope.server.cluster.FollowedPartitions", "pauses between questions"),
          Map.entry("io.retroscope.server.kafka.FencedTopic", "pauses between questions"),
          Map.entry("io.retroscope.server.cluster.PartitionStore", "each opening has a number"),
          Map.entry("io.retroscope.server.cluster.Readings", "the name of a reading is a secret"),
          Map.entry("io.retroscope.server.memory.MemoryBudget", "waits for memory"),
          Map.entry("io.retroscope.server.store.disk.Manifest", "lets a server end what it writes"),
          Map.entry("io.retroscope.sonify.play.ReopeningSink", "keeps the pace of a lost device"));

  private static final Set<String> TIME_AND_CHANCE =
      Set.of(
          "java.lang.System.currentTimeMillis",
          "java.lang.System.nanoTime",
          "java.lang.Thread.sleep",
          "java.util.concurrent.TimeUnit.sleep",
          "java.util.concurrent.locks.LockSupport.parkNanos",
          "java.util.concurrent.locks.LockSupport.parkUntil",
          "java.lang.Math.random",
          "java.time.Instant.now",
          "java.time.LocalDate.now",
          "java.time.LocalDateTime.now",
          "java.time.OffsetDateTime.now",
          "java.time.ZonedDateTime.now",
          "java.time.Clock.systemUTC",
          "java.time.Clock.systemDefaultZone",
          "java.util.UUID.randomUUID",
          "java.util.concurrent.ThreadLocalRandom.current",
          "java.security.SecureRandom.<init>");

  /** Most accesses have another name, which is known before the owner is put before it. */
  private static final Set<String> TIME_AND_CHANCE_NAMES =
      TIME_AND_CHANCE.stream()
          .map(target -> target.substring(target.lastIndexOf('.') + 1))
          .collect(Collectors.toUnmodifiableSet());

  /**
   * The classes that may wait for something with a time limit, or schedule work, with what they
   * wait for. Each waits for another thread, which a test can make act or not.
   */
  private static final Map<String, String> MAY_WAIT =
      Map.ofEntries(
          Map.entry("io.retroscope.clock.StoredLimit", "the end of its thread"),
          Map.entry("io.retroscope.recorder.Flushes", "the drainer"),
          Map.entry("io.retroscope.sink.Outbox", "the receiver of blocks"),
          Map.entry("io.retroscope.sink.DeliveringSink", "the end of its thread"),
          Map.entry("io.retroscope.sink.HttpTransport", "a response"),
          Map.entry("io.retroscope.sink.EventSocket", "an acknowledgement"),
          Map.entry("io.retroscope.instrumentation.kafka.KafkaTransport", "a producer's end"),
          Map.entry("io.retroscope.rql.client.InterruptibleBody", "a part of a response"),
          Map.entry("io.retroscope.rql.engine.slice.SliceQueue", "the items of a slice"),
          Map.entry("io.retroscope.rql.client.ServerConnection", "a response"),
          Map.entry("io.retroscope.cli.sound.AlertListening", "the next note that is due"),
          Map.entry("io.retroscope.server.alert.AlertService", "alerts, and the end of a pause"),
          Map.entry("io.retroscope.server.alert.Outbox", "messages, and the end of a pause"),
          Map.entry("io.retroscope.server.alert.Receiver", "the end of a program"),
          Map.entry("io.retroscope.server.app.SealingTask", "the end of a pause"),
          Map.entry("io.retroscope.server.api.EventsEndpoint", "a free reader"),
          Map.entry("io.retroscope.server.api.WebServer", "the end of Jetty"),
          Map.entry("io.retroscope.server.api.LinesEndpoint", "the end of responses"),
          Map.entry("io.retroscope.server.api.StreamEndpoint", "the end of responses"),
          Map.entry("io.retroscope.server.api.LiveListeners", "the next check of a connection"),
          Map.entry("io.retroscope.server.api.OutgoingEvents", "room for events"),
          Map.entry("io.retroscope.server.api.StreamWriters", "the next check of connections"),
          Map.entry("io.retroscope.server.api.WorkerPool", "the end of its threads"),
          Map.entry("io.retroscope.server.app.LogServer", "the next round of housekeeping"),
          Map.entry("io.retroscope.server.app.WarmUp", "the end of a user's query"),
          Map.entry("io.retroscope.server.app.ClusterAlerts", "the next look at their owner"),
          Map.entry("io.retroscope.server.app.ClusterServer", "the next look at files"),
          Map.entry("io.retroscope.server.app.WatermarkTicker", "the next advance"),
          Map.entry("io.retroscope.server.cluster.Cluster", "the next blocks to seal"),
          Map.entry("io.retroscope.server.cluster.ClusterSource", "a server with a partition"),
          Map.entry("io.retroscope.server.cluster.FollowedPartitions", "news of partitions"),
          Map.entry("io.retroscope.server.cluster.PartitionEvidence", "a small store is read"),
          Map.entry("io.retroscope.server.cluster.Watch", "the next try of a server"),
          Map.entry("io.retroscope.server.cluster.Partitions", "news of its partitions"),
          Map.entry("io.retroscope.server.kafka.IngestState", "the end of reading"),
          Map.entry("io.retroscope.server.kafka.KafkaIngest", "the end of its threads"),
          Map.entry("io.retroscope.server.live.WatermarkTracker", "the watermark"),
          Map.entry("io.retroscope.server.store.GroupCommit", "events to store"),
          Map.entry(
              "io.retroscope.server.store.disk.Database",
              "the end of reads before it is opened again"),
          Map.entry("io.retroscope.sonify.session.LivePlayer", "notes that are due"),
          Map.entry("io.retroscope.sonify.play.LiveSound", "the end of its thread"),
          Map.entry("io.retroscope.cli.sound.LiveQueries", "the end of queries"),
          Map.entry("io.retroscope.contract.browser.HeadlessBrowser", "what a browser answers"),
          Map.entry("io.retroscope.cli.process.RowProgram", "rows, and the end of a program"));

  private static final Set<String> WAITS =
      Set.of(
          "wait",
          "join",
          "await",
          "awaitNanos",
          "awaitUntil",
          "awaitTermination",
          "poll",
          "offer",
          "get",
          "tryAcquire",
          "tryLock",
          "waitFor",
          "exchange",
          "orTimeout",
          "completeOnTimeout",
          "delayedExecutor",
          "schedule",
          "scheduleAtFixedRate",
          "scheduleWithFixedDelay");

  private static final Set<String> COMPARISONS =
      Set.of(
          "equals",
          "equalsIgnoreCase",
          "contentEquals",
          "regionMatches",
          "compareTo",
          "compareToIgnoreCase",
          "startsWith",
          "contains",
          "containsKey",
          "get",
          "indexOf");

  private static final Set<String> HOMELESS =
      Set.of("util", "utils", "common", "commons", "helper", "helpers", "manager", "impl", "misc");

  /** Modules that are always on the class path of this one. */
  private static final String ON_CLASS_PATH =
      "hlc-core|blocks|rql|recordings|console|log-server|sonify|cli|examples/stage|examples/zookeeper|examples/kafka|examples/infinispan|examples/latency"
          + "|instrumentation/kafka|instrumentation/jgroups|junit";

  /** The names in {@code ../examples/redis/pom.xml}. */
  private static final int MODULE_DEPTH = 4;

  private static JavaClasses all;

  /** Imports the modules on the class path, and compiled modules beside them. */
  @BeforeAll
  static void read() throws IOException {
    Set<Location> locations = new HashSet<>(Locations.ofPackage("io.retroscope"));
    ProjectFiles.in(Path.of("..")).stream()
        .filter(path -> path.endsWith("pom.xml") && path.getNameCount() <= MODULE_DEPTH)
        .map(path -> path.resolveSibling("target/classes"))
        .filter(Files::isDirectory)
        .filter(path -> !path.toString().matches("\\.\\./(" + ON_CLASS_PATH + "|benchmarks)/.*"))
        .map(Location::of)
        .forEach(locations::add);
    // The rules read the names of others' classes, not their content.
    ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
    all =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            // The jar of the extension contains other modules under other names.
            .withImportOption(location -> !location.contains("/junit/shaded/"))
            .importLocations(locations);
  }

  @Test
  void modules_dependOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("hlc-core")
        .definedBy(CORE)
        .layer("blocks")
        .definedBy("io.retroscope.blocks..")
        .layer("rql")
        .definedBy("io.retroscope.rql..")
        .layer("recordings")
        .definedBy("io.retroscope.recordings..")
        .layer("log-server")
        .definedBy("io.retroscope.server..")
        .layer("sonify")
        .definedBy("io.retroscope.sonify..")
        .layer("console")
        .definedBy("io.retroscope.console..")
        .optionalLayer("contracts")
        .definedBy("io.retroscope.contract..")
        .optionalLayer("kafka-broker")
        .definedBy("io.retroscope.broker..")
        .optionalLayer("instrumentation")
        .definedBy("io.retroscope.instrumentation..")
        .optionalLayer("junit")
        .definedBy("io.retroscope.junit..")
        .optionalLayer("examples")
        .definedBy("io.retroscope.examples..")
        .layer("cli")
        .definedBy("io.retroscope.cli..")
        .whereLayer("hlc-core")
        .mayNotAccessAnyLayer()
        .whereLayer("blocks")
        .mayOnlyAccessLayers("hlc-core")
        .whereLayer("rql")
        .mayOnlyAccessLayers("hlc-core", "blocks")
        .whereLayer("recordings")
        .mayOnlyAccessLayers("hlc-core", "blocks", "rql")
        .whereLayer("log-server")
        .mayOnlyAccessLayers("hlc-core", "blocks", "rql", "recordings", "sonify", "console")
        .whereLayer("sonify")
        .mayOnlyAccessLayers("hlc-core", "rql")
        .whereLayer("instrumentation")
        .mayOnlyAccessLayers("hlc-core")
        .whereLayer("console")
        .mayOnlyAccessLayers("hlc-core", "rql")
        .whereLayer("junit")
        .mayOnlyAccessLayers("hlc-core", "rql", "recordings", "console")
        .whereLayer("junit")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("contracts")
        .mayOnlyAccessLayers("hlc-core")
        .whereLayer("contracts")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("kafka-broker")
        .mayNotAccessAnyLayer()
        .whereLayer("examples")
        .mayOnlyBeAccessedByLayers("cli")
        .optionalLayer("dist")
        .definedBy("io.retroscope.dist..")
        .whereLayer("dist")
        .mayOnlyAccessLayers("cli")
        // Its commands are found when they are run.
        .optionalLayer("simulate")
        .definedBy("io.retroscope.examples.simulate..")
        // Runs the simulated policies.
        .optionalLayer("migration")
        .definedBy("io.retroscope.examples.migration..")
        .whereLayer("simulate")
        .mayOnlyBeAccessedByLayers("migration")
        .whereLayer("cli")
        .mayOnlyBeAccessedByLayers("dist", "simulate")
        .check(all);
  }

  /** A server needs no device and no samples. */
  @Test
  void server_makesNotesButNoSound() {
    noClasses()
        .that()
        .resideInAPackage("io.retroscope.server..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.retroscope.sonify.play..", "io.retroscope.sonify.audio..")
        .check(all);
  }

  @Test
  void everyClass_belongsToAModule() {
    classes()
        .should()
        .resideInAnyPackage(
            withCore(
                "io.retroscope.blocks..",
                "io.retroscope.rql..",
                "io.retroscope.recordings..",
                "io.retroscope.server..",
                "io.retroscope.sonify..",
                "io.retroscope.console..",
                "io.retroscope.broker..",
                "io.retroscope.contract..",
                "io.retroscope.instrumentation..",
                "io.retroscope.junit..",
                "io.retroscope.examples..",
                "io.retroscope.cli..",
                "io.retroscope.dist.."))
        .check(all);
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("io.retroscope.(**)").should().beFreeOfCycles().check(all);
  }

  @Test
  void core_needsTheJdkOnly() {
    classes()
        .that()
        .resideInAnyPackage(CORE)
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            withCore(
                "java..", "javax.management..", "javax.net.ssl..", "org.jspecify.annotations.."))
        .check(all);
  }

  @Test
  void blocks_needTheCoreOnly() {
    classes()
        .that()
        .resideInAPackage("io.retroscope.blocks..")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            withCore("io.retroscope.blocks..", "java..", "org.jspecify.annotations.."))
        // A build of the command line alone has no classes of this module.
        .allowEmptyShould(true)
        .check(all);
  }

  @Test
  void generatedParser_isSeenByTheParserOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.retroscope.rql.parser..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.retroscope.rql.parser.generated..")
        .check(all);
  }

  @Test
  void standardStreams_areTheShellsAndTheCommands() {
    noClasses()
        .that()
        // An agent that cannot start has no other way to report it.
        .doNotHaveFullyQualifiedName("io.retroscope.instrumentation.zookeeper.ZookeeperAgent")
        .and()
        // During the JVM's shutdown, logging may have ended already.
        .doNotHaveFullyQualifiedName("io.retroscope.recorder.ExitReport")
        .and()
        .resideOutsideOfPackages("io.retroscope.cli..", "io.retroscope.examples..")
        .should(ACCESS_STANDARD_STREAMS)
        .check(all);
  }

  @Test
  void terminal_isUsedByTheCommandLineOnly() {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.retroscope.cli.shell..", "io.retroscope.cli.process..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("org.jline..")
        .check(all);
  }

  /** EXPLAIN would not show what a walk decides by itself. */
  @Test
  void walk_executesThePlan() {
    noClasses()
        .that()
        .resideInAPackage("io.retroscope.rql.engine..")
        .and()
        .doNotHaveSimpleName("Execution") // a statement that is one expression has no plan
        .should()
        .dependOnClassesThat()
        .haveSimpleName("Translator")
        .check(all);
  }

  /** A comparison that ends at the first difference reveals a token part by part. */
  @Test
  void tokens_areComparedInConstantTime() {
    classes()
        .that()
        .haveFullyQualifiedName("io.retroscope.server.access.TokenList")
        .should()
        .callMethod(MessageDigest.class, "isEqual", byte[].class, byte[].class)
        .check(all);
    noClasses()
        .that()
        .resideInAPackage("io.retroscope.server.access..")
        .should()
        .accessTargetWhere(comparesASecret())
        .check(all);
  }

  @Test
  void timeAndChance_areParameters() {
    assertOnlyIn(MAY_READ_TIME_AND_CHANCE.keySet(), readsTimeOrChance());
  }

  @Test
  void timedWaits_areListed() {
    assertOnlyIn(MAY_WAIT.keySet(), waitsForATime());
  }

  /** Tests that exactly these classes have such an access, so that no allowance is left over. */
  private static void assertOnlyIn(Set<String> allowed, DescribedPredicate<JavaAccess<?>> access) {
    Set<String> found = new HashSet<>();
    List<String> elsewhere = new ArrayList<>();
    for (JavaClass type : all) {
      String name = top(type);
      // Demonstrations run in real time.
      boolean isFree = type.getPackageName().startsWith("io.retroscope.examples.");
      for (JavaAccess<?> one : type.getAccessesFromSelf()) {
        if (access.test(one)) {
          found.add(name);
          if (!isFree && !allowed.contains(name)) {
            elsewhere.add(one.getDescription());
          }
        }
      }
    }
    assertThat(elsewhere).as("%s", access.getDescription()).isEmpty();
    assertThat(found).containsAll(allowed);
  }

  @Test
  void names_sayWhatAThingIs() {
    for (JavaClass found : all) {
      List<String> packages = List.of(found.getPackageName().split("\\.", -1));
      assertThat(packages).as(found.getName()).doesNotContainAnyElementsOf(HOMELESS);
      for (String homeless : HOMELESS) {
        assertThat(found.getSimpleName().toLowerCase(Locale.ROOT))
            .as(found.getName())
            .doesNotEndWith(homeless);
      }
    }
  }

  private static String[] withCore(String... packages) {
    return Stream.concat(Stream.of(CORE), Stream.of(packages)).toArray(String[]::new);
  }

  private static String top(JavaClass found) {
    String name = found.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  /** A generator created without a seed is also a source of chance. */
  private static DescribedPredicate<JavaAccess<?>> readsTimeOrChance() {
    return describe(
        "read the machine's clock, sleep or draw random numbers",
        access ->
            TIME_AND_CHANCE_NAMES.contains(access.getTarget().getName())
                && (TIME_AND_CHANCE.contains(
                        access.getTargetOwner().getName() + "." + access.getTarget().getName())
                    || access.getTarget().getFullName().equals("java.util.Random.<init>()")));
  }

  /**
   * A comparison of arrays, or in a method that receives a token. Names, limits and origins are no
   * secrets.
   */
  private static DescribedPredicate<JavaAccess<?>> comparesASecret() {
    return describe(
        "compare a secret in a time that depends on it",
        access -> {
          String owner = access.getTargetOwner().getName();
          String name = access.getTarget().getName();
          boolean ofArrays =
              owner.equals("java.util.Arrays")
                  && name.matches("equals|deepEquals|mismatch|compare");
          boolean ofTexts =
              COMPARISONS.contains(name) && !owner.equals("java.security.MessageDigest");
          boolean ofAToken = access.getOrigin().getName().matches("(lambda\\$)?holder.*");
          return ofArrays || (ofTexts && ofAToken);
        });
  }

  /** A call of the JDK that ends, or begins something, after a time. */
  private static DescribedPredicate<JavaAccess<?>> waitsForATime() {
    return describe(
        "wait for a time",
        access -> {
          if (!WAITS.contains(access.getTarget().getName())) {
            return false;
          }
          String target = access.getTarget().getFullName();
          String parameters = target.substring(target.indexOf('(') + 1);
          boolean pausing = access.getTarget().getName().matches("wait|join|awaitNanos");
          return target.startsWith("java.")
              && (parameters.contains("TimeUnit")
                  || parameters.contains("java.time.")
                  || (pausing && parameters.startsWith("long")));
        });
  }
}
