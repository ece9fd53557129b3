// SPDX-License-Identifier: Apache-2.0
package io.retroscope.instrumentation.log4j2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Tests with a service in a separate process whose recorder cannot be created with its settings:
 * its console has every line nevertheless.
 */
class HlcAppenderStartTest {
  private static final String CONFIGURATION =
      """
      <Configuration status="error">
        <Appenders>
          <Console name="CONSOLE"><PatternLayout pattern="%level says %m%n"/></Console>
          <Retroscope name="RETROSCOPE"><AppenderRef ref="CONSOLE"/></Retroscope>
        </Appenders>
        <Loggers><Root level="info"><AppenderRef ref="RETROSCOPE"/></Root></Loggers>
      </Configuration>
      """;

  @TempDir Path folder;

  private String classPath = System.getProperty("java.class.path");

  /** The service. */
  static final class Talker {
    private Talker() {}

    public static void main(String[] arguments) {
      LoggerFactory.getLogger(Talker.class).info("one");
      LoggerFactory.getLogger(Talker.class).warn("two", new IllegalStateException("three"));
    }
  }

  @BeforeEach
  void configure() throws Exception {
    Files.writeString(folder.resolve("log4j2.xml"), CONFIGURATION);
  }

  @Test
  void log_settingThatCannotBeRead_isStillPrinted() throws Exception {
    assertThat(printed(Map.of("RETROSCOPE_RING_CAPACITY", "many")))
        .contains("INFO says one", "WARN says two", "three");
  }

  @Test
  void log_damagedStateDirectory_isStillPrinted() throws Exception {
    Path state = Files.createDirectory(folder.resolve("state"));
    Files.writeString(state.resolve("clock"), "not a bound");
    Files.writeString(state.resolve("incarnation"), "\u0000");

    assertThat(printed(Map.of("RETROSCOPE_STATE_DIRECTORY", state.toString())))
        .contains("INFO says one", "WARN says two", "three");
  }

  @Test
  void log_recorderThatCannotBeLoaded_isStillPrinted() throws Exception {
    Path broken = folder.resolve("classes/io/retroscope/recorder/RecorderBuilder.class");
    Files.createDirectories(broken.getParent());
    Files.write(broken, new byte[0]);
    classPath = folder.resolve("classes") + File.pathSeparator + classPath;

    assertThat(printed(Map.of())).contains("INFO says one", "WARN says two", "three");
  }

  private String printed(Map<String, String> settings) throws Exception {
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:TieredStopAtLevel=1",
            "-Dlog4j2.configurationFile=" + folder.resolve("log4j2.xml"),
            "-cp",
            classPath,
            Talker.class.getName());
    command.environment().keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    command.environment().put("RETROSCOPE_FILE", folder.resolve("trace.rtsb").toString());
    command.environment().putAll(settings);
    Path output = folder.resolve("output");
    Process service = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      assertThat(service.waitFor(60, TimeUnit.SECONDS)).isTrue();
    } finally {
      service.destroyForcibly();
    }
    return Files.readString(output);
  }
}
