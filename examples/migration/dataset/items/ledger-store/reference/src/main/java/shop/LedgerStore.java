package shop;

import javax.sql.DataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Writes entries to the ledger. */
public class LedgerStore {
    private final DataSource source;

    public LedgerStore(DataSource source) {
        this.source = source;
    }

    public void add(Entry entry) throws SQLException {
        try (Connection connection = source.getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into ledger values (?, ?)")) {
            insert.setLong(1, entry.id);
            insert.setLong(2, entry.cents);
            insert.executeUpdate();
        }
    }
}
