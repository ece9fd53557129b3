package io.retroscope.sonify.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.retroscope.rql.answer.Note;
import io.retroscope.sonify.score.ScoreComposer;
import io.retroscope.sonify.score.UnknownInstrumentException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import javax.sound.midi.MidiMessage;
import javax.sound.midi.Receiver;
import javax.sound.midi.ShortMessage;
import org.junit.jupiter.api.Test;

class LiveMidiTest {
  private final AtomicLong nanos = new AtomicLong(1_000);
  private final RecordingReceiver receiver = new RecordingReceiver();
  private final AtomicBoolean deviceClosed = new AtomicBoolean();
  private final LiveMidi live = new LiveMidi(receiver, () -> deviceClosed.set(true), nanos::get);

  @Test
  void play_note_beginsAndEndsAfterItsLength() {
    live.start();
    live.play(new Note("woodblock", 60, 96, 200_000));
    await().atMost(Duration.ofSeconds(60)).until(() -> receiver.sent.size() == 2);
    nanos.addAndGet(199_000_000);
    assertThat(receiver.sent).containsExactly("192 115", "144 60");
    nanos.addAndGet(1_000_000);
    await().atMost(Duration.ofSeconds(60)).until(() -> receiver.sent.contains("128 60"));
    live.close();
    assertThat(live.playedCount()).isEqualTo(1);
  }

  @Test
  void play_keyStruckAgain_endsTheFirstStrokeOnly() {
    live.start();
    live.play(new Note("woodblock", 60, 96, 200_000));
    live.play(new Note("woodblock", 60, 96, 200_000));
    await().atMost(Duration.ofSeconds(60)).until(() -> receiver.sent.size() == 4);
    assertThat(receiver.sent).containsExactly("192 115", "144 60", "128 60", "144 60");
    live.close();
  }

  @Test
  void play_moreVoicesThanTheSynthesizerHas_endsTheOneThatWouldEndFirst() {
    live.start();
    for (int key = 0; key <= ScoreComposer.MAX_POLYPHONY; key++) {
      live.play(new Note("flute", key, 96, 1_000_000 + key));
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> live.playedCount() == ScoreComposer.MAX_POLYPHONY + 1);
    assertThat(receiver.sent.stream().filter(message -> message.startsWith("128 ")))
        .containsExactly("128 0");
    live.close();
  }

  @Test
  void play_tooLate_isDroppedAndCounted() {
    live.play(new Note("woodblock", 60, 96, 200_000));
    nanos.addAndGet(LiveMidi.MAX_LATENESS_NANOS + 1);
    live.play(new Note("woodblock", 62, 96, 200_000));
    live.start();
    await().atMost(Duration.ofSeconds(60)).until(() -> live.playedCount() == 1);
    assertThat(live.droppedCount()).isEqualTo(1);
    assertThat(receiver.sent).contains("144 62").doesNotContain("144 60");
    live.close();
  }

  @Test
  void play_moreThanTheQueueHolds_isDroppedAndCounted() {
    List<Boolean> taken = new ArrayList<>();
    for (int i = 0; i < LiveMidi.QUEUE_CAPACITY + 3; i++) {
      taken.add(live.play(new Note("woodblock", 60, 96, 200_000)));
    }
    assertThat(taken.stream().filter(accepted -> !accepted)).hasSize(3);
    assertThat(live.droppedCount()).isEqualTo(3);
    live.close();
  }

  @Test
  void close_whileANoteSounds_endsItAndGivesTheDeviceBack() {
    live.start();
    live.play(new Note("flute", 60, 96, 9_000_000));
    await().atMost(Duration.ofSeconds(60)).until(() -> live.playedCount() == 1);
    live.close();
    assertThat(receiver.sent).last().isEqualTo("128 60");
    assertThat(deviceClosed).isTrue();
    assertThat(live.play(new Note("flute", 60, 96, 1))).isFalse();
  }

  @Test
  void play_unknownInstrument_isRefused() {
    assertThatThrownBy(() -> live.play(new Note("theremin", 60, 96, 1)))
        .isInstanceOf(UnknownInstrumentException.class);
  }

  @Test
  void open_machineWithOrWithoutSound_saysSoAtMostOnce() {
    List<String> notices = new ArrayList<>();
    boolean opened = LiveMidi.open(notices::add).map(this::closed).orElse(false);
    assertThat(notices).hasSize(opened ? 0 : 1);
  }

  private boolean closed(LiveMidi opened) {
    opened.close();
    return true;
  }

  private static final class RecordingReceiver implements Receiver {
    final List<String> sent = new CopyOnWriteArrayList<>();

    @Override
    public void send(MidiMessage message, long timeStamp) {
      ShortMessage shortMessage = (ShortMessage) message;
      sent.add(shortMessage.getCommand() + " " + shortMessage.getData1());
    }

    @Override
    public void close() {}
  }
}
