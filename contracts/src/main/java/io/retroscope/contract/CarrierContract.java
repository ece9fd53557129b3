// SPDX-License-Identifier: Apache-2.0
package io.retroscope.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.PhysicalClock;
import io.retroscope.event.Event;
import io.retroscope.event.EventBody;
import io.retroscope.recorder.Recorder;
import io.retroscope.sink.MemorySink;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestInstanceFactoryContext;
import org.junit.jupiter.api.extension.TestInstancePreConstructCallback;

/**
 * The contract of a carrier: a protocol that takes the sender's stamp along with each message. The
 * receiver's clock is five seconds slow. Used by one thread, except {@link #arrived}.
 */
@Timeout(120)
@ExtendWith(CarrierContract.Share.class)
public abstract class CarrierContract {
  /** The log to which the receiver writes when a message arrives. */
  protected static final String LOG = "carrier";

  private static final long SKEW_MICROS = -5_000_000;

  /** A test in which messages carry the clock and are not recorded. */
  @Retention(RetentionPolicy.RUNTIME)
  @Target(ElementType.METHOD)
  private @interface CarriedOnly {}

  /** The share of the messages that the recorders of a test record. */
  static final class Share implements TestInstancePreConstructCallback {
    private static final ThreadLocal<Double> CURRENT = ThreadLocal.withInitial(() -> 1.0);

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext root) {
      return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public void preConstructTestInstance(
        TestInstanceFactoryContext factory, ExtensionContext test) {
      boolean none =
          test.getTestMethod().filter(m -> m.isAnnotationPresent(CarriedOnly.class)).isPresent();
      CURRENT.set(none ? 0.0 : 1.0);
    }

    static double current() {
      return CURRENT.get();
    }
  }

  private final MemorySink senderSink = new MemorySink();
  private final MemorySink receiverSink = new MemorySink();

  /** The recorder of the sending process. */
  protected final Recorder sender =
      Recorder.builder().node("sender").sink(senderSink).messages(Share.current()).build();

  /** The recorder of the receiving process. */
  protected final Recorder receiver =
      Recorder.builder()
          .node("receiver")
          .physicalClock(PhysicalClock.system().skewedBy(SKEW_MICROS))
          .sink(receiverSink)
          .messages(Share.current())
          .build();

  /** Creates a contract. */
  protected CarrierContract() {}

  /**
   * Sends one message from the sender, and returns when the receiver has called {@link #arrived}.
   */
  protected abstract void carry() throws Exception;

  /** Like {@link #carry}, but the sending process is not instrumented. */
  protected abstract void carryUntraced() throws Exception;

  /** Like {@link #carryUntraced}, with a text in place of a stamp that cannot be read as one. */
  protected abstract void carryUnreadable(String stamp) throws Exception;

  /** To be called by the receiver's code for each message. */
  protected final void arrived() {
    receiver.log(LOG).set("arrived", 1);
  }

  /** Closes the recorders. */
  @AfterEach
  protected final void closeRecorders() {
    sender.close();
    receiver.close();
  }

  @Test
  void message_receiverBehind_everyEffectIsAboveItsCause() throws Exception {
    long before = sender.tick();

    carry();

    Event sent = only(sentEvents(EventBody.Send.class));
    Event received = only(receivedEvents(EventBody.Receive.class));
    Event effect = only(receivedEvents(EventBody.StateChange.class));
    assertThat(sent.hlc()).isGreaterThan(before);
    assertThat(received.hlc()).isGreaterThan(sent.hlc());
    assertThat(effect.hlc()).isGreaterThan(received.hlc());
    assertThat(((EventBody.Receive) received.body()).id())
        .isEqualTo(((EventBody.Send) sent.body()).id());
    assertThat(received.marks()).isEmpty();
  }

  @Test
  void messages_ofOneSender_haveDistinctIdentities() throws Exception {
    carry();
    carry();

    assertThat(receivedEvents(EventBody.Receive.class))
        .extracting(event -> ((EventBody.Receive) event.body()).id())
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(
            sentEvents(EventBody.Send.class).stream()
                .map(event -> ((EventBody.Send) event.body()).id())
                .toList());
  }

  @Test
  @CarriedOnly
  void message_carriedOnly_isOrderedAndNotRecorded() throws Exception {
    long before = sender.tick();

    carry();

    List<Event> effects = receivedEvents(EventBody.StateChange.class);
    Event effect = only(effects.stream().filter(event -> event.log().equals(LOG)).toList());
    assertThat(effect.hlc()).isGreaterThan(before);
    assertThat(sentEvents(EventBody.Send.class)).isEmpty();
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
  }

  @Test
  void message_ofAnUntracedSender_arrivesWithoutAReceive() throws Exception {
    carryUntraced();

    only(receivedEvents(EventBody.StateChange.class));
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
  }

  @Test
  void message_withAnUnreadableStamp_arrivesWithoutAReceive() throws Exception {
    carryUnreadable("yesterday");

    only(receivedEvents(EventBody.StateChange.class));
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
  }

  /** Returns the sender's events of a kind. */
  protected final List<Event> sentEvents(Class<? extends EventBody> kind) {
    return events(senderSink, sender, kind);
  }

  /** Returns the receiver's events of a kind. */
  protected final List<Event> receivedEvents(Class<? extends EventBody> kind) {
    return events(receiverSink, receiver, kind);
  }

  private static List<Event> events(
      MemorySink sink, Recorder recorder, Class<? extends EventBody> kind) {
    assertThat(recorder.flush(Duration.ofSeconds(10))).isTrue();
    return sink.events().stream().filter(event -> kind.isInstance(event.body())).toList();
  }

  /** Returns the only one of some events. */
  protected static Event only(List<Event> events) {
    assertThat(events).hasSize(1);
    return events.get(0);
  }
}
