package io.retroscope.instrumentation.jms;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HlcMessagesTest extends CarrierContract {
  private void deliver(Map<String, String> properties) {
    Message message = FakeMessage.with(properties, false);
    try {
      new HlcMessages(receiver).receiving(received -> arrived()).onMessage(message);
    } catch (RuntimeException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  protected void carry() {
    Map<String, String> properties = new HashMap<>();
    Message unused = new HlcMessages(sender).sent(FakeMessage.with(properties, true));
    deliver(properties);
  }

  @Override
  protected void carryUntraced() {
    deliver(Map.of());
  }

  @Override
  protected void carryUnreadable(String stamp) {
    deliver(Map.of(HlcMessages.PROPERTY, stamp));
  }

  @Test
  void property_isNamedAsJmsAllows() {
    assertThat(HlcMessages.PROPERTY).matches("[A-Za-z_]\\w*");
  }

  @Test
  void receive_thatTimedOut_returnsNull() {
    assertThat(new HlcMessages(receiver).<Message>received(null)).isNull();
  }

  @Test
  void message_thatCannotBeWritten_isSentNevertheless() throws JMSException {
    Message message = FakeMessage.with(Map.of("x_hlc", "former"), false);
    assertThat(new HlcMessages(sender).sent(message).getStringProperty("x_hlc"))
        .isEqualTo("former");
  }

  @Test
  void stamp_ofAnUntrustedTopic_isOnlyCounted() {
    Map<String, String> properties = new HashMap<>();
    Message unused = new HlcMessages(sender).sent(FakeMessage.with(properties, true));
    Message received =
        new HlcMessages(receiver, false).received(FakeMessage.with(properties, false));

    assertThat(received).isNotNull();
    assertThat(receivedEvents(EventBody.Receive.class)).isEmpty();
    assertThat(receiver.statistics().untrusted()).isEqualTo(1);
  }
}
