// SPDX-License-Identifier: Apache-2.0
package io.retroscope.server.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.retroscope.rql.json.JsonValues;
import io.retroscope.server.alert.AlertOptions;
import io.retroscope.sink.PemTls;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what receivers of each kind get when an alert is tested, and the sign of life. */
@Timeout(120)
class ReceiversTest {
  @TempDir Path directory;

  @Test
  void receiversOfEachKind_getTheMessage_andTheWatchmanSignsLife() throws Exception {
    Path program = directory.resolve("page");
    Path paged = directory.resolve("paged");
    Files.writeString(program, "#!/bin/sh\ncat >> " + paged + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    TestCertificate known = TestCertificate.make(directory, "known");
    TestCertificate other = TestCertificate.make(directory, "other");
    try (Hook chat = new Hook();
        Hook watch = new Hook();
        Hook secure = Hook.withTls(PemTls.context(null, known.certificate(), known.key()));
        DatagramSocket syslog = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      Files.writeString(directory.resolve("chat.url"), chat.url() + "/hidden\n");
      Files.writeString(directory.resolve("ops.token"), "secret\n");
      String receivers =
          """
          chat   slack    url-file=chat.url
          pager  command  %s --loud
          log    syslog   127.0.0.1:%d
          sealed webhook  %s  ca=%s token-file=ops.token
          forged webhook  %s  ca=%s
          plain  webhook  %s
          watch  deadman  %s  every=1s
          """
              .formatted(
                  program,
                  syslog.getLocalPort(),
                  secure.url(),
                  known.certificate().getFileName(),
                  secure.url(),
                  other.certificate().getFileName(),
                  secure.url(),
                  watch.url());
      try (LogServer server = start(receivers)) {
        String results = test(new HttpProbe(server.uri()));
        assertThat(results)
            .contains("\"chat\":\"\"", "\"pager\":\"\"", "\"log\":\"\"", "\"sealed\":\"\"")
            .containsPattern("\"forged\":\"cannot reach 127.0.0.1")
            .containsPattern("\"plain\":\"cannot reach 127.0.0.1")
            .doesNotContain("hidden", "secret");
        assertThat(chat.paths()).containsExactly("/hidden");
        assertThat(chat.bodies().get(0)).startsWith("{\"text\":\"").contains("TEST", "far");
        assertThat(Files.readString(paged).lines())
            .singleElement()
            .satisfies(line -> assertThat(JsonValues.parse(line).toString()).contains("far"));
        assertThat(datagram(syslog)).matches("(?s)<\\d+>1 .*far.*");
        assertThat(secure.messages()).hasSize(1);
        assertThat(secure.headers().get(0).get("Authorization")).containsExactly("Bearer secret");
        await().atMost(Duration.ofSeconds(60)).until(() -> !watch.bodies().isEmpty());
        assertThat(watch.bodies()).contains("{\"alive\":true,\"alerts\":1}");
      }
    }
  }

  private LogServer start(String receivers) throws Exception {
    Files.createDirectory(directory.resolve("rules"));
    Files.writeString(
        directory.resolve("rules/a.rql"), "CREATE ALERT far AS (NEVER SPREAD(v) >= 2 FROM m);");
    Files.writeString(directory.resolve("receivers"), receivers);
    return LogServer.start(
        ServerConfig.in(directory.resolve("data"))
            .port(0)
            .alerts(
                new AlertOptions(
                    Optional.of(directory.resolve("rules")),
                    Optional.of(directory.resolve("receivers"))))
            .build());
  }

  private static String test(HttpProbe http) throws Exception {
    return http.post(
            "/v1/alerts/test",
            "application/json",
            "",
            "{\"alert\":\"far\"}".getBytes(StandardCharsets.UTF_8))
        .body();
  }

  private static String datagram(DatagramSocket socket) throws Exception {
    socket.setSoTimeout(30_000);
    DatagramPacket packet = new DatagramPacket(new byte[4_096], 4_096);
    socket.receive(packet);
    return new String(packet.getData(), 0, packet.getLength(), StandardCharsets.UTF_8);
  }
}
