// SPDX-License-Identifier: Apache-2.0
package io.retroscope.recorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A module that requires this one compiles and runs with nothing else on its module path. */
class ModulePathTest {
  private static final String MODULE_INFO =
      """
      module consumer {
        requires io.retroscope.core;
      }
      """;

  private static final String SERVICE =
      """
      package consumer;

      import io.retroscope.recorder.EventLog;
      import io.retroscope.recorder.Recorder;

      public class Service {
        public static void main(String[] args) {
          try (Recorder recorder = Recorder.fromEnvironment()) {
            EventLog log = recorder.log("setd");
            log.set("r1", (Object) null);
            log.event(e -> e.set("term", 3).set("role", 'l'));
            log.set("role", "leader");
            System.out.println(recorder.health() + " in " + Recorder.class.getModule());
          }
        }
      }
      """;

  @TempDir Path directory;

  @Test
  void consumer_withThisModuleOnly_compilesAndRuns() throws Exception {
    Path core = Path.of(Recorder.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path classes = directory.resolve("classes");
    assertThat(compile(core, classes)).isEmpty();
    ProcessBuilder child =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dretroscope.file=" + directory.resolve("trace.rtsb"),
            "--module-path",
            core + File.pathSeparator + classes,
            "--module",
            "consumer/consumer.Service");
    Path out = directory.resolve("out");
    Process process = child.redirectErrorStream(true).redirectOutput(out.toFile()).start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(out).strip()).isEqualTo("recording in module io.retroscope.core");
    assertThat(process.exitValue()).isZero();
  }

  /** Compiles the consumer with all warnings, and returns the compiler's messages. */
  private String compile(Path modulePath, Path classes) throws Exception {
    Path source = Files.createDirectories(directory.resolve("source/consumer"));
    Path module = Files.writeString(source.resolveSibling("module-info.java"), MODULE_INFO);
    Path service = Files.writeString(source.resolve("Service.java"), SERVICE);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of("-Xlint:all", "--module-path", modulePath.toString(), "-d", classes.toString());
      var sources = files.getJavaFileObjects(module, service);
      boolean compiled = compiler.getTask(messages, files, null, options, null, sources).call();
      return compiled ? messages.toString() : "failed: " + messages;
    }
  }
}
