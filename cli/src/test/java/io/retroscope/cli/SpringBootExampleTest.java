// SPDX-License-Identifier: Apache-2.0
package io.retroscope.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.server.app.LogServer;
import io.retroscope.server.app.ServerConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * From a plain Spring Boot service to its events in the shell, with one dependency and two
 * properties: two processes of {@code examples/spring-boot} and a log server. The clock of the
 * process that is called is two seconds slow.
 */
@Timeout(180)
class SpringBootExampleTest {
  private static final Path EXAMPLE = Path.of("..", "examples", "spring-boot");
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir Path folder;
  private final List<Process> services = new ArrayList<>();
  private final HttpClient client = HttpClient.newHttpClient();
  private LogServer server;

  @BeforeEach
  void start() {
    server = LogServer.start(ServerConfig.in(folder.resolve("data")).port(0).build());
  }

  @AfterEach
  void stop() throws InterruptedException {
    services.forEach(Process::destroy);
    for (Process service : services) {
      if (!service.waitFor(60, TimeUnit.SECONDS)) {
        service.destroyForcibly();
      }
    }
    server.close();
  }

  @Test
  void service_withTheStarter_isQueriedInTheShell() throws Exception {
    check("target/runtime.classpath");
  }

  @Test
  @Tag("slow")
  void service_onSpringBoot4_isQueriedInTheShell() throws Exception {
    check("boot-4/target/runtime.classpath");
  }

  /** The guide's dependency, properties and code are the example's. */
  @Test
  void guide_onSpringBoot_isTheExample() throws IOException {
    String guide = Files.readString(Path.of("..", "docs", "instrument-your-service.md"));
    String section = guide.substring(guide.indexOf("### Spring Boot")).split("\n### SLF4J", 2)[0];
    String example =
        String.join(
            "\n",
            Files.readString(EXAMPLE.resolve("pom.xml")),
            Files.readString(EXAMPLE.resolve("src/main/resources/application.properties")),
            Files.readString(
                EXAMPLE.resolve(
                    "src/main/java/io/retroscope/examples/springboot/OrderService.java")));
    List<String> blocks =
        Pattern.compile("(?ms)^```\\w+\n(.*?)^```$")
            .matcher(section)
            .results()
            .map(block -> block.group(1))
            .toList();
    assertThat(blocks).hasSize(3);
    for (String block : blocks) {
      assertThat(example.replaceAll("\\s+", " ")).contains(block.strip().replaceAll("\\s+", " "));
    }
  }

  private void check(String classPath) throws Exception {
    String stock = start(classPath, "stock", "");
    String orders = start(classPath, "orders", stock);
    for (int number = 1; number <= 20; number++) {
      assertThat(get(orders + "/orders/" + number)).isEqualTo("order " + number + " reserved");
    }
    assertThat(get(orders + "/actuator/health")).contains("\"node\":\"orders\"", "recording");
    assertThat(get(orders + "/actuator/metrics/retroscope.recorder.recorded"))
        .contains("\"statistic\":\"COUNT\"", "\"tag\":\"node\"");

    // Each request carries the clock there and back, so no cut has a reservation before its order.
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(
                        shell(
                            "ordered@orders = 20 AND reserved@stock = 20",
                            "reserved@stock = ordered@orders",
                            "reserved@stock > ordered@orders",
                            "reserved@stock < ordered@orders - 1"))
                    .containsExactly("(1 row)", "(20 rows)", "(0 rows)", "(0 rows)"));
    assertThat(lines()).contains("order taken").contains("order=20");
  }

  /** The numbers of cuts for which each condition holds, as the shell prints them. */
  private List<String> shell(String... conditions) throws IOException {
    List<String> command =
        new ArrayList<>(QuickJava.command(System.getProperty("java.class.path")));
    command.add("io.retroscope.cli.Retroscope");
    command.addAll(List.of("shell", "--server", server.uri().toString()));
    for (String condition : conditions) {
      command.add("-c");
      command.add("SELECT ordered@orders, reserved@stock FROM shop WHEN " + condition + ";");
    }
    Process shell = new ProcessBuilder(command).redirectErrorStream(true).start();
    shell.getOutputStream().close();
    try (var out = shell.inputReader()) {
      return out.lines().filter(line -> line.endsWith("row)") || line.endsWith("rows)")).toList();
    }
  }

  private String lines() {
    return CommandRun.of("logs", "--server", server.uri().toString(), "--log", "app").out();
  }

  private String get(String uri) throws IOException, InterruptedException {
    var answer =
        client.send(HttpRequest.newBuilder(URI.create(uri)).build(), BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(uri + ": " + answer.body()).isEqualTo(200);
    return answer.body();
  }

  /** Starts a process of the service and returns its address. */
  private String start(String classPath, String node, String stock) throws Exception {
    Path output = folder.resolve(node + ".out");
    ProcessBuilder command =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx256m",
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+UnlockDiagnosticVMOptions",
            "-XX:-BytecodeVerificationRemote",
            "-cp",
            EXAMPLE.resolve("target/classes")
                + System.getProperty("path.separator")
                + Files.readString(EXAMPLE.resolve(classPath)),
            "io.retroscope.examples.springboot.OrderService",
            "--server.port=0",
            "--server.address=127.0.0.1",
            "--stock.url=" + stock,
            "--retroscope.node=" + node,
            "--retroscope.clock.skew.micros=" + (node.equals("stock") ? -2_000_000 : 0),
            "--retroscope.server=" + server.uri());
    command.environment().keySet().removeIf(name -> name.startsWith("RETROSCOPE_"));
    Process service = command.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    services.add(service);
    await()
        .atMost(PATIENCE)
        .until(() -> !service.isAlive() || PORT.matcher(Files.readString(output)).find());
    Matcher port = PORT.matcher(Files.readString(output));
    assertThat(port.find()).as(Files.readString(output)).isTrue();
    return "http://127.0.0.1:" + port.group(1);
  }
}
