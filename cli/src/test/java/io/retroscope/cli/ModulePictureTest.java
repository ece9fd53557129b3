package io.retroscope.cli;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

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
          Map.entry("io.retroscope.rql.engine.QueryEngine", "EXPLAIN ANALYZE shows its time"),
          Map.entry("io.retroscope.cli.shell.ShellClock", "is the shell's stopwatch"),
          Map.entry("io.retroscope.sonify.play.LiveMidi", "live sound is about now"));

  private static final Set<String> TIME_AND_CHANCE =
      Set.of(
          "java.lang.System.currentTimeMillis",
          "java.lang.System.nanoTime",
          "java.lang.Thread.sleep",
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

  private static final Set<String> HOMELESS =
      Set.of("util", "utils", "common", "commons", "helper", "helpers", "manager", "impl", "misc");

  /** Modules that are always on the class path of this one. */
  private static final String ON_CLASS_PATH =
      "hlc-core|rql|log-server|sonify|cli|examples/zookeeper";

  private static JavaClasses all = new ClassFileImporter().importPackages();

  /** Imports the modules on the class path, and compiled modules beside them. */
  @BeforeAll
  static void read() throws IOException {
    Set<Location> locations = new HashSet<>(Locations.ofPackage("io.retroscope"));
    try (Stream<Path> paths = Files.walk(Path.of(".."), 4)) {
      paths
          .filter(path -> path.endsWith("target/classes"))
          .filter(path -> !path.toString().matches("\\.\\./(" + ON_CLASS_PATH + "|benchmarks)/.*"))
          .map(Location::of)
          .forEach(locations::add);
    }
    all =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importLocations(locations);
  }

  @Test
  void modules_dependOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("hlc-core")
        .definedBy(CORE)
        .layer("rql")
        .definedBy("io.retroscope.rql..")
        .layer("log-server")
        .definedBy("io.retroscope.server..")
        .layer("sonify")
        .definedBy("io.retroscope.sonify..")
        .optionalLayer("kafka-broker")
        .definedBy("io.retroscope.broker..")
        .optionalLayer("instrumentation")
        .definedBy("io.retroscope.instrumentation..")
        .optionalLayer("examples")
        .definedBy("io.retroscope.examples..")
        .layer("cli")
        .definedBy("io.retroscope.cli..")
        .whereLayer("hlc-core")
        .mayNotAccessAnyLayer()
        .whereLayer("rql")
        .mayOnlyAccessLayers("hlc-core")
        .whereLayer("log-server")
        .mayOnlyAccessLayers("hlc-core", "rql")
        .whereLayer("sonify")
        .mayOnlyAccessLayers("hlc-core", "rql")
        .whereLayer("instrumentation")
        .mayOnlyAccessLayers("hlc-core")
        .whereLayer("kafka-broker")
        .mayNotAccessAnyLayer()
        .whereLayer("examples")
        .mayOnlyBeAccessedByLayers("cli")
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .check(all);
  }

  @Test
  void everyClass_belongsToAModule() {
    classes()
        .should()
        .resideInAnyPackage(
            Stream.concat(
                    Stream.of(CORE),
                    Stream.of(
                        "io.retroscope.rql..",
                        "io.retroscope.server..",
                        "io.retroscope.sonify..",
                        "io.retroscope.broker..",
                        "io.retroscope.instrumentation..",
                        "io.retroscope.examples..",
                        "io.retroscope.cli.."))
                .toArray(String[]::new))
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
            Stream.concat(
                    Stream.of(CORE),
                    Stream.of(
                        "java..",
                        "javax.management..",
                        "javax.net.ssl..",
                        "org.jspecify.annotations.."))
                .toArray(String[]::new))
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

  @Test
  void timeAndChance_areParameters() {
    noClasses()
        .that(
            describe(
                "are not named here", found -> !MAY_READ_TIME_AND_CHANCE.containsKey(top(found))))
        .and()
        .resideOutsideOfPackage("io.retroscope.examples..") // demonstrations run in real time
        .should()
        .accessTargetWhere(readsTimeOrChance())
        .check(all);
  }

  @Test
  void timeAndChance_everyAllowanceIsNeeded() {
    Set<String> readers =
        all.stream()
            .filter(found -> found.getAccessesFromSelf().stream().anyMatch(readsTimeOrChance()))
            .map(ModulePictureTest::top)
            .collect(Collectors.toSet());
    assertThat(readers).containsAll(MAY_READ_TIME_AND_CHANCE.keySet());
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

  private static String top(JavaClass found) {
    String name = found.getName();
    int nested = name.indexOf('$');
    return nested < 0 ? name : name.substring(0, nested);
  }

  /** A generator created without a seed is also a source of chance. */
  private static DescribedPredicate<JavaAccess<?>> readsTimeOrChance() {
    return describe(
        "read the machine's clock, sleep or draw random numbers",
        access -> {
          String target = access.getTargetOwner().getName() + "." + access.getTarget().getName();
          return TIME_AND_CHANCE.contains(target)
              || access.getTarget().getFullName().equals("java.util.Random.<init>()");
        });
  }
}
