package io.retroscope.instrumentation.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.retroscope.clock.HlcTimestamp;
import io.retroscope.context.HlcContext;
import io.retroscope.contract.CarrierContract;
import io.retroscope.event.EventBody;
import java.net.URI;
import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/** Tests of a {@code WebClient} bean whose requests are answered in this process. */
class HlcExchangeFilterTest extends CarrierContract {
  private final WebClient plain = WebClient.builder().exchangeFunction(this::answer).build();
  private final WebClient traced = traced(WebClient.builder().exchangeFunction(this::answer));
  private int failures;

  private WebClient traced(WebClient.Builder builder) {
    var clients = new StampedWebClients(new HlcExchangeFilter(sender));
    assertThat(clients.postProcessAfterInitialization(builder, "bean")).isSameAs(builder);
    return builder.build();
  }

  private Mono<ClientResponse> answer(ClientRequest request) {
    HlcContext.extract(request.headers(), HttpHeaders::getFirst)
        .ifPresent(remote -> receiver.receive("", remote));
    if (failures > 0) {
      failures--;
      return Mono.error(new IllegalStateException("connection reset"));
    }
    arrived();
    String stamp = HlcTimestamp.text(receiver.send(""));
    return Mono.just(ClientResponse.create(HttpStatus.OK).header(HlcContext.HEADER, stamp).build());
  }

  private static WebClient.RequestHeadersSpec<?> get(WebClient client) {
    return client.get().uri(URI.create("http://127.0.0.1/"));
  }

  private static void await(WebClient.RequestHeadersSpec<?> request) {
    assertThat(request.retrieve().toBodilessEntity().block()).isNotNull();
  }

  @Override
  protected void carry() {
    await(get(traced));
  }

  @Override
  protected void carryUntraced() {
    await(get(plain));
  }

  @Override
  protected void carryUnreadable(String stamp) {
    await(get(plain).header(HlcContext.HEADER, stamp));
  }

  @Test
  void response_isReceivedAboveTheEffect() {
    carry();
    long effect = only(receivedEvents(EventBody.StateChange.class)).hlc();
    assertThat(only(sentEvents(EventBody.Receive.class)).hlc()).isGreaterThan(effect);
  }

  /** A filter around the stamping one subscribes to the same exchange again. */
  @Test
  void request_thatAFilterRetries_isSentAgainWithAStampOfItsOwn() {
    WebClient.Builder retrying =
        WebClient.builder()
            .exchangeFunction(this::answer)
            .filter((request, next) -> next.exchange(request).retry(2));
    failures = 2;
    await(get(traced(retrying)));
    assertThat(sentEvents(EventBody.Send.class)).hasSize(3);
    assertThat(receivedEvents(EventBody.Receive.class))
        .extracting(event -> ((EventBody.Receive) event.body()).id())
        .doesNotHaveDuplicates()
        .hasSize(3);
  }
}
