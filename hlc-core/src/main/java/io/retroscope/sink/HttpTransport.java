package io.retroscope.sink;

import io.retroscope.event.EventBlockCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;

/** Posts frames to a log server. Used by one thread. */
final class HttpTransport implements Transport {
  private static final String PATH = "/v1/events";
  private static final int MIN_GZIP_BYTES = 1_024;

  private final URI address;
  private final boolean gzip;
  private final Duration requestTimeout;
  private final HttpClient client;

  HttpTransport(URI server, boolean gzip, Duration requestTimeout) {
    this.address = server.resolve(PATH);
    this.gzip = gzip;
    this.requestTimeout = requestTimeout;
    this.client = HttpClient.newBuilder().connectTimeout(requestTimeout).build();
  }

  @Override
  public Delivery deliver(List<Parcel> parcels) throws InterruptedException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    parcels.forEach(parcel -> body.writeBytes(parcel.bytes()));
    return post(body.toByteArray());
  }

  private Delivery post(byte[] body) throws InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address).header("Content-Type", EventBlockCodec.CONTENT_TYPE);
    boolean compress = gzip && body.length >= MIN_GZIP_BYTES;
    if (compress) {
      request.header("Content-Encoding", "gzip");
    }
    HttpRequest.BodyPublisher publisher =
        HttpRequest.BodyPublishers.ofByteArray(compress ? gzipped(body) : body);
    return await(client.sendAsync(request.POST(publisher).build(), BodyHandlers.ofString()));
  }

  /** The client's own timeout ends with the headers: a body that never ends would hold it up. */
  private Delivery await(CompletableFuture<HttpResponse<String>> answer)
      throws InterruptedException {
    try {
      return delivery(answer.get(requestTimeout.toMillis(), TimeUnit.MILLISECONDS));
    } catch (TimeoutException e) {
      return Delivery.retry("no answer within " + requestTimeout.toMillis() + " ms");
    } catch (ExecutionException e) {
      return Delivery.retry(String.valueOf(e.getCause()));
    } finally {
      answer.cancel(true);
    }
  }

  private static Delivery delivery(HttpResponse<String> response) {
    int status = response.statusCode();
    if (status >= 200 && status < 300) {
      return Delivery.DELIVERED;
    }
    String reason = "status " + status + ": " + response.body();
    return switch (status) {
      case 409 -> Delivery.conflict(reason);
      case 400, 413, 422 -> Delivery.refused(reason);
      default -> Delivery.retry("status " + status);
    };
  }

  private static byte[] gzipped(byte[] body) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(body.length / 2);
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(body);
    } catch (IOException e) {
      throw new AssertionError("memory does not fail", e);
    }
    return bytes.toByteArray();
  }

  @Override
  public String target() {
    return "the log server at " + address;
  }

  @Override
  public void close() {}
}
