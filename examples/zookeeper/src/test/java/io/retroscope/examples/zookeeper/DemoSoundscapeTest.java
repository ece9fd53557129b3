// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import javax.sound.midi.MidiSystem;
import javax.sound.sampled.AudioSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DemoSoundscapeTest {
  @TempDir Path folder;

  @Test
  void write_staleReplica_leavesStatementsAndSound() throws Exception {
    Path events =
        Files.writeString(
            folder.resolve("events.ndjson"),
            """
            {"node":"zk1","log":"setd","hlc":"1795200000000000.0","set":{"r1":1}}
            {"node":"zk2","log":"setd","hlc":"1795200000100000.0","set":{"r1":1}}
            {"node":"zk2","log":"setd","hlc":"1795200001000000.0","set":{"r1":4}}
            {"node":"zk1","log":"setd","hlc":"1795200002000000.0","set":{"r1":4}}
            """);
    DemoSoundscape.write(events, folder);
    assertThat(Files.readString(folder.resolve("staleness.rql"))).contains("PLACE n;");
    assertThat(MidiSystem.getSequence(folder.resolve("staleness.mid").toFile()).getTracks())
        .isNotEmpty();
    assertThat(
            AudioSystem.getAudioFileFormat(folder.resolve("staleness.wav").toFile())
                .getFrameLength())
        .as("frames of three seconds, at the real times")
        .isBetween(3 * 44_100, 5 * 44_100);
  }
}
