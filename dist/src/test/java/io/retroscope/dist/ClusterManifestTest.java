// SPDX-License-Identifier: Apache-2.0
package io.retroscope.dist;

import static io.retroscope.dist.YamlPath.at;
import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.cli.Retroscope;
import io.retroscope.server.cluster.ClusterOptions;
import io.retroscope.server.kafka.KafkaOptions;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import picocli.CommandLine.Model.CommandSpec;

/** Tests that the manifest of three servers agrees with itself and with the command. */
class ClusterManifestTest {
  private static final Path FILE = Path.of("src/main/deploy/kubernetes-cluster.yaml");
  private static final String POD = "retroscope-0";
  private static final String NAMESPACE = "default";

  private final List<Map<?, ?>> parts = new ArrayList<>();
  private Map<?, ?> set = Map.of();
  private Map<?, ?> pod = Map.of();
  private Map<?, ?> container = Map.of();

  @BeforeEach
  void read() throws IOException {
    new Load(LoadSettings.builder().build())
        .loadAllFromString(Files.readString(FILE))
        .forEach(part -> parts.add((Map<?, ?>) part));
    set = (Map<?, ?>) at(part("StatefulSet", "retroscope"), "spec");
    pod = (Map<?, ?>) at(set, "template", "spec");
    container = (Map<?, ?>) at(pod, "containers", 0);
  }

  private Map<?, ?> part(String kind, String name) {
    return parts.stream()
        .filter(part -> part.get("kind").equals(kind) && at(part, "metadata", "name").equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }

  /** The arguments as the first pod has them. */
  private List<String> arguments() {
    return ((List<?>) at(container, "args"))
        .stream()
            .map(String::valueOf)
            .map(word -> word.replace("$(POD_NAME)", POD))
            .map(word -> word.replace("$(POD_NAMESPACE)", NAMESPACE))
            .toList();
  }

  private String argument(String option) {
    int at = arguments().indexOf(option);
    assertThat(at).as(option).isNotNegative();
    return arguments().get(at + 1);
  }

  private static Set<Object> names(Object list) {
    return ((List<?>) list).stream().map(entry -> at(entry, "name")).collect(Collectors.toSet());
  }

  @Test
  void options_all_areThoseOfTheCommand() {
    CommandSpec server = Retroscope.commandLine().getSubcommands().get("server").getCommandSpec();
    assertThat(arguments())
        .filteredOn(word -> word.startsWith("--"))
        .hasSizeGreaterThan(8)
        .allMatch(server.optionsMap()::containsKey)
        .contains("--cluster", "--tokens");
    Retroscope.commandLine().parseArgs(arguments().toArray(String[]::new));
  }

  /** The name of the pod at the service whose names do not depend on readiness. */
  @Test
  void advertisedAddress_isTheOneAtTheServiceOfThePods() {
    URI advertised = URI.create(argument("--advertise"));
    ClusterOptions options =
        ClusterOptions.of(
            KafkaOptions.of(Map.of("bootstrap.servers", argument("--kafka")), argument("--topic")),
            advertised,
            "t".repeat(ClusterOptions.MIN_TOKEN_LENGTH));
    assertThat(options.advertised().getScheme()).isEqualTo("https");
    assertThat(advertised.getHost())
        .isEqualTo(POD + "." + at(set, "serviceName") + "." + NAMESPACE + ".svc");
    Map<?, ?> service = part("Service", String.valueOf(at(set, "serviceName")));
    assertThat(at(service, "spec", "clusterIP")).isEqualTo("None");
    assertThat(at(service, "spec", "publishNotReadyAddresses")).isEqualTo(true);
    assertThat(at(container, "ports", 0, "containerPort")).isEqualTo(advertised.getPort());
    assertThat(argument("--allow-host"))
        .isEqualTo(
            at(part("Service", "retroscope-query"), "metadata", "name") + "." + NAMESPACE + ".svc");
  }

  @Test
  void servers_areThree_ofWhichOneMayBeAway() {
    assertThat(at(set, "replicas")).isEqualTo(3);
    assertThat(at(part("PodDisruptionBudget", "retroscope"), "spec", "maxUnavailable"))
        .isEqualTo(1);
    assertThat(names(claims())).containsExactly("data");
    for (Map<?, ?> part : parts) {
      Object selector = at(part, "spec", "selector");
      Object labels =
          ((Map<?, ?>) selector).containsKey("matchLabels")
              ? at(selector, "matchLabels")
              : selector;
      assertThat(labels).as("%s", part.get("kind")).isEqualTo(Map.of("app", "retroscope"));
    }
    assertThat(at(set, "template", "metadata", "labels")).isEqualTo(Map.of("app", "retroscope"));
  }

  private List<?> claims() {
    return ((List<?>) at(set, "volumeClaimTemplates"))
        .stream().map(claim -> at(claim, "metadata")).toList();
  }

  /** Each secret file is of a mounted secret; the data is on the claimed volume. */
  @Test
  void files_ofArguments_areOnMountedVolumes() {
    Map<String, Object> volumeAt =
        ((List<?>) at(container, "volumeMounts"))
            .stream()
                .collect(
                    Collectors.toMap(
                        mount -> String.valueOf(at(mount, "mountPath")),
                        mount -> at(mount, "name")));
    for (String option : List.of("--tokens", "--cluster-token-file", "--tls-cert", "--tls-key")) {
      Object volume = volumeAt.get(Path.of(argument(option)).getParent().toString());
      assertThat(volume).as(option).isNotNull();
      assertThat(secrets()).as(option).containsKey(volume);
    }
    assertThat(volumeAt.get(Path.of(argument("--data")).getParent().toString())).isEqualTo("data");
    assertThat(secrets().values())
        .allSatisfy(
            secret -> assertThat(text()).contains("kubectl create secret generic " + secret));
    assertThat(text())
        .contains("kubectl create secret generic " + at(trustPassword(), "name") + " ")
        .contains("--from-literal=" + at(trustPassword(), "key") + "=");
  }

  private Map<Object, Object> secrets() {
    return ((List<?>) at(pod, "volumes"))
        .stream()
            .collect(
                Collectors.toMap(
                    volume -> at(volume, "name"), volume -> at(volume, "secret", "secretName")));
  }

  private Object trustPassword() {
    return ((List<?>) at(container, "env"))
        .stream()
            .filter(entry -> at(entry, "name").equals("TRUST_PASSWORD"))
            .map(entry -> at(entry, "valueFrom", "secretKeyRef"))
            .findFirst()
            .orElseThrow();
  }

  private static String text() {
    try {
      return Files.readString(FILE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Kubernetes replaces $(NAME) only by variables that are declared before. */
  @Test
  void variables_used_areDeclaredBefore() {
    assertThat(names(at(container, "env"))).contains("POD_NAME", "POD_NAMESPACE");
    List<?> env = (List<?>) at(container, "env");
    Object last = env.get(env.size() - 1);
    assertThat(at(last, "name")).isEqualTo("RETROSCOPE_JAVA_OPTS");
    assertThat(String.valueOf(at(last, "value")))
        .contains("-XX:MaxRAMPercentage=50", "$(TRUST_PASSWORD)")
        .doesNotContain("\n");
    assertThat(arguments()).noneMatch(word -> word.contains("$("));
  }

  @Test
  void probes_all_askOverTls() {
    Map<String, String> paths =
        Map.of(
            "livenessProbe", "/health/live",
            "readinessProbe", "/health/ready",
            "startupProbe", "/health/live");
    paths.forEach(
        (probe, path) -> {
          assertThat(at(container, probe, "httpGet", "path")).as(probe).isEqualTo(path);
          assertThat(at(container, probe, "httpGet", "scheme")).as(probe).isEqualTo("HTTPS");
          assertThat(at(container, probe, "httpGet", "port"))
              .as(probe)
              .isEqualTo(at(container, "ports", 0, "name"));
        });
  }
}
