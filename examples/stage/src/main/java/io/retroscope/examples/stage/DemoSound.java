// SPDX-License-Identifier: Apache-2.0
package io.retroscope.examples.stage;

import io.retroscope.rql.client.ProblemException;
import io.retroscope.rql.client.RqlClient;
import io.retroscope.rql.diagnostic.RqlException;
import io.retroscope.sonify.bank.SoundBank;
import io.retroscope.sonify.play.LiveOutput;
import io.retroscope.sonify.play.SoundDevices;
import io.retroscope.sonify.rule.Rule;
import io.retroscope.sonify.rule.SoundscapeRules;
import io.retroscope.sonify.session.LivePlayer;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sound.midi.MidiUnavailableException;

/** A demonstration's soundscape, live, if the machine can sound. Thread-safe. */
public final class DemoSound implements AutoCloseable {
  private static final Duration JOIN_PATIENCE = Duration.ofSeconds(2);

  private final LivePlayer player;
  private final Optional<LiveOutput> output;
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ended;

  private DemoSound(LivePlayer player, Optional<LiveOutput> output) {
    this.player = player;
    this.output = output;
  }

  /**
   * Follows the rules of the soundscape.
   *
   * @param statements rules, without STREAM
   * @param nodes each gets a place
   * @param notice takes a sentence if the machine cannot sound
   */
  public static DemoSound open(
      URI server, String statements, Collection<String> nodes, Consumer<String> notice) {
    SoundscapeRules rules = SoundFiles.liveRules(statements);
    Optional<LiveOutput> output = output(notice);
    LivePlayer player =
        new LivePlayer(
            rules,
            false,
            nodes,
            System::nanoTime,
            note -> output.ifPresent(device -> device.now(note)));
    DemoSound sound = new DemoSound(player, output);
    player.start(() -> output.ifPresent(LiveOutput::advance));
    for (Rule rule : rules.rules()) {
      Thread thread = new Thread(() -> sound.follow(rule, server), "demo-sound");
      thread.setDaemon(true);
      sound.threads.add(thread);
      thread.start();
    }
    return sound;
  }

  private static Optional<LiveOutput> output(Consumer<String> notice) {
    try {
      return SoundDevices.open(Optional.empty(), SoundBank.own(), notice, System::nanoTime);
    } catch (IOException | MidiUnavailableException e) {
      notice.accept("no live sound: " + e.getMessage());
      return Optional.empty();
    }
  }

  /** The demo's question reports a server that fails, so that the sound only ends. */
  private void follow(Rule rule, URI server) {
    try (RqlClient client = new RqlClient(server)) {
      player.follow(
          rule,
          client,
          new SoundFiles.Quiet() {
            @Override
            public boolean cancelled() {
              return ended;
            }
          });
    } catch (IOException | RqlException | ProblemException e) {
      ended = true;
    }
  }

  /** The side and the register of each node, in one line. */
  public String places() {
    return player.legend();
  }

  @Override
  public void close() {
    ended = true;
    threads.forEach(Thread::interrupt);
    for (Thread thread : threads) {
      try {
        thread.join(JOIN_PATIENCE.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    player.close();
    output.ifPresent(LiveOutput::close);
  }
}
