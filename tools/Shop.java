import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * The service of docs/tutorial-java.md: four threads answer 100 requests in a second. `java Shop` has three faults, `java Shop fixed` has none of
 * them: prices are read from a slow server while everybody else waits for their lock, a report copies all its text for each line, and keeps
 * what it has read.
 */
public class Shop {
    static boolean fixed;

    @Name("shop.Request")
    @StackTrace(false)
    static class Request extends Event {
        String path;
        @Timespan(Timespan.NANOSECONDS)
        long queued;
    }

    public static void main(String[] args) throws Exception {
        fixed = args.length > 0 && args[0].equals("fixed");
        try (PriceServer server = new PriceServer()) {
            PriceTable prices = new PriceTable(server.port());
            Thread refresher = new Thread(() -> refresh(prices), "price-refresh");
            refresher.setDaemon(true);
            refresher.start();
            AtomicInteger number = new AtomicInteger();
            ExecutorService pool = Executors.newFixedThreadPool(4, r -> new Thread(r, "http-" + number.incrementAndGet()));
            for (int i = 0; i < 300; i++) {
                String path = i % 10 == 0 ? "/report" : i % 10 == 5 ? "/health" : "/price";
                long arrived = System.nanoTime();
                pool.execute(() -> answer(path, arrived, prices));
                Thread.sleep(10);
            }
            pool.shutdown();
            pool.awaitTermination(1, TimeUnit.MINUTES);
        }
    }

    static void refresh(PriceTable prices) {
        try {
            for (;;) {
                Thread.sleep(450);
                prices.reload();
            }
        } catch (IOException | InterruptedException e) {
            return;
        }
    }

    static volatile long sink;

    static void answer(String path, long arrived, PriceTable prices) {
        Request event = new Request();
        event.path = path;
        event.queued = System.nanoTime() - arrived;
        event.begin();
        if (path.equals("/report")) {
            sink += new Report(prices).render().length();
        } else if (path.equals("/price")) {
            sink += prices.price("article-" + arrived % 1000);
        }
        event.commit();
    }
}

/** Prices of articles, which another server knows. */
class PriceTable {
    private final int port;
    private volatile Map<String, Integer> prices = new HashMap<>();

    PriceTable(int port) {
        this.port = port;
    }

    int price(String article) {
        if (Shop.fixed) {
            return prices.getOrDefault(article, 0);
        }
        synchronized (this) {
            return prices.getOrDefault(article, 0);
        }
    }

    void reload() throws IOException {
        if (Shop.fixed) {
            prices = load();
            return;
        }
        synchronized (this) {
            prices = load();
        }
    }

    private Map<String, Integer> load() throws IOException {
        Map<String, Integer> loaded = new HashMap<>();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            InputStream in = socket.getInputStream();
            for (int i = 0, price = in.read(); price >= 0; price = in.read(), i++) {
                loaded.put("article-" + i, price);
            }
        }
        return loaded;
    }
}

/** All prices as a page. */
class Report {
    private static final Map<String, String> SEEN = new HashMap<>();
    private final PriceTable prices;

    Report(PriceTable prices) {
        this.prices = prices;
    }

    String render() {
        return Shop.fixed ? renderOnce() : renderByLine();
    }

    private String renderByLine() {
        String page = "";
        for (int i = 0; i < 3000; i++) {
            page = page + "article-" + i + ": " + prices.price("article-" + i) + "\n";
        }
        synchronized (SEEN) {
            SEEN.put("report-" + SEEN.size(), page.repeat(20));
        }
        return page;
    }

    private String renderOnce() {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 3000; i++) {
            page.append("article-").append(i).append(": ").append(prices.price("article-" + i)).append('\n');
        }
        return page.toString();
    }
}

/** The server that knows the prices: it thinks for 150 ms. */
class PriceServer implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());

    PriceServer() throws IOException {
        Thread thread = new Thread(this::serve, "price-server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    private void serve() {
        try {
            for (;;) {
                try (Socket socket = server.accept()) {
                    Thread.sleep(150);
                    OutputStream out = socket.getOutputStream();
                    out.write(new byte[1000]);
                }
            }
        } catch (IOException | InterruptedException e) {
            return;
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
